# SPDX-License-Identifier: Apache-2.0
"""A mistyped word in a plan: the message names the nearest valid word before all of them."""

import pytest

from hypbench.plan_language import parse
from hypbench.plan_words import PlanError, nearest

START = "config trapped\nbench hvc\n"


def message(text: str, **more) -> str:
    with pytest.raises(PlanError) as caught:
        parse(text, **more)
    return caught.value.message


@pytest.mark.parametrize("plan, says", [
    ("config nativ\nbench hvc\n", "unknown preset 'nativ', nearest 'native'; valid: native direct"),
    ("config x nativ\nbench hvc\n", "unknown preset 'nativ', nearest 'native'; valid: native"),
    ("config TRAPPED\nbench hvc\n", "unknown preset 'TRAPPED', nearest 'trapped'; valid: native"),
    ("konfig native\n", "unknown word 'konfig', nearest 'config'; valid: name platform"),
    ("config trapped stats=onn\n", "unknown value 'stats=onn', nearest 'on'; valid: off on"),
    ("config trapped stat=on\n", "unknown axis 'stat=on', nearest 'stats'; valid: stage1"),
    ("config trapped beside=load_mem_red\n", "nearest 'load_mem_read'; valid: none"),
    ("order abab\n", "unknown word 'abab', nearest 'abba'; valid: abba once"),
    ("platform qemu-icnt\n", "unknown word 'qemu-icnt', nearest 'qemu-icount'; valid: silicon"),
    ("bench hvc nn=5\n", "unknown parameter 'nn=5', nearest 'n'; valid: n delay"),
    (START + "vm bnch\n", "unknown image 'bnch', nearest 'bench'; valid: bench"),
    (START + "vm one image=loaad\n", "unknown image 'loaad', nearest 'load'; valid: bench"),
    (START + "vm bench core=0\n", "unknown field 'core=0', nearest 'cores'; valid: image"),
    (START + "vm bench\nvm far image=load load=load_mem_wirte cores=1\n",
     "nearest 'load_mem_write'"),
    (START + "vm bench\nat 5 puse bench\n", "unknown word 'puse', nearest 'pause'; valid: pause"),
    (START + "vm bench\nat 5 pause bnech\n", "no vm 'bnech', nearest 'bench'; valid: bench"),
    (START + "link a kind=virtoi a=bench b=bench\n", "unknown kind 'virtoi', nearest 'virtio'")])
def test_the_nearest_word_comes_first(plan, says):
    assert says in message(plan)


def test_the_nearest_benchmark():
    assert message("config native\nbench hcv\n", benches=["counter", "hvc"]) == (
        "no benchmark 'hcv', nearest 'hvc'; valid: counter hvc")


@pytest.mark.parametrize("word", ["fast", "", "=", "x" * 300])
def test_a_word_that_is_like_none_has_no_nearest_word(word):
    assert nearest(word, ["native", "direct", "trapped"]) == ""


def test_a_name_that_is_no_mistyped_preset_lacks_one():
    assert message("config fast\n").startswith("a preset is missing after 'fast'; valid: native")
    assert message(START + "vm other\n").startswith("an image is missing after 'other'; valid: ")
