# SPDX-License-Identifier: Apache-2.0
"""Each page of docs/howto/ is followed to the letter in a copy of the tree. If commands need a
board or a reader's file, the test only checks that make knows their words."""

import re
import shlex
import shutil
import subprocess
from functools import cache

import pytest

import expected
from howto import PAGES, WORDS_MOST, blocks, lacking
from lab import ROOT, TREE, is_built
from test_clone import Clone, environment
from test_latency_measure import NATIVE_RAM
from test_latency_measure import image as latency_image
from test_run_guest import visitor

NO_PLUGIN = re.compile("not counted: plugins of .* cannot read registers")  # an old QEMU
UNREACHABLE = re.compile("archive cannot be reached|no apt|not a Debian release")


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    tree = Clone(tmp_path_factory.mktemp("howto") / "a tree")
    for board in ("virt-a72", "virt-a72-gicv3", "rpi4"):
        if is_built(board):
            tree.take_objects(board)
    yield tree
    shutil.rmtree(tree.root)


def bash(script: str, folder, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", *words, "-c", script], cwd=folder, env=environment(), text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=1200, check=False)


@cache
def is_documented() -> bool:
    """Return whether this compiler made the numbers of the pages."""
    process = bash(
        "aarch64-linux-gnu-gcc -dumpfullversion || aarch64-none-elf-gcc -dumpfullversion", ROOT)
    return expected.series(process.stdout.split()[-1]) == expected.DOCUMENTED


@pytest.mark.nightly
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_is_right_to_the_letter(clone, page):
    output = ""
    for block in blocks(page):
        if block.kind == "text":
            unchecked = block.more == "by-hand" or (
                block.more == "plugin" and NO_PLUGIN.search(output))
            assert unchecked or not lacking(output, block.text, is_documented()), output
        elif block.runs:
            if block.more == "guest":
                put_guest(clone.root / block.guest, block.text)
            process = bash(block.text, clone.root, "-e")
            output = process.stdout
            if process.returncode and block.more == "network" and UNREACHABLE.search(output):
                pytest.skip(output.splitlines()[-1])
            assert (process.returncode != 0) == (block.more == "fails"), output
        elif block.more and not block.by_hand:
            path = clone.root / block.more
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)


def put_guest(path, command: str) -> None:
    """Put a guest's image where the command expects it: a guest that powers off, or for
    latency_measure a guest that prints what latency_measure prints."""
    words = shlex.split(command)[1:]
    path.parent.mkdir(parents=True, exist_ok=True)
    if "SCENARIO=latency-measure" in words:
        board = next(word.removeprefix("BOARD=") for word in words if word.startswith("BOARD="))
        shutil.copy(latency_image(board, NATIVE_RAM), path)
    else:
        board = re.search(r"run-guest --board (\S+)", make(*words, "-n"))[1]
        shutil.copy(visitor(board, "q").elf, path)


@pytest.mark.nightly
def test_what_is_done_by_hand_are_commands():
    for block in (block for page in PAGES for block in blocks(page)):
        if block.by_hand:
            process = bash(block.text, ROOT, "-n")
            assert process.returncode == 0, process.stdout
            for command in block.makes:
                assert_known(command)


def assert_known(command: str) -> None:
    """Check that make has the target and accepts the words, without a run (make -n runs lines that
    have $(MAKE)). A board that a page creates is replaced by another board."""
    _, *words = shlex.split(command, comments=True)
    targets = [word for word in words if "=" not in word]
    settings = {word.replace("=virt-a53", "=virt-a72") for word in words if "=" in word}
    output = make("help", *settings)
    for target in targets:
        assert f"make {target} " in output, f"no target {target}"
    for plan in (word.partition("=")[2] for word in settings if word.startswith("SCENARIO=")):
        assert plan in TREE.scenarios()


def make(*words: str) -> str:
    process = subprocess.run(["make", *words], cwd=ROOT, env=environment(), text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, check=False)
    assert process.returncode == 0, f"{words}: {process.stdout}"
    return process.stdout


def test_a_page_is_short_and_its_blocks_are_of_a_known_kind():
    for page in PAGES:
        text = page.read_text()
        assert len(text.split()) <= WORDS_MOST, page
        assert text.count("```") == 2 * len(list(blocks(page))), page
    for block in (block for page in PAGES for block in blocks(page)):
        if block.kind == "sh":
            assert block.more in ("", "fails", "network", "guest", "by-hand"), block
            assert bool(block.guest) == (block.more == "guest"), block
        elif block.kind != "text":
            assert block.more, f"no file is named: {block}"
