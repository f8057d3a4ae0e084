# SPDX-License-Identifier: Apache-2.0
"""The hypervisor's own code leaves alone what a light frame does not hold (arch/trap_frame.h)."""

import re
import subprocess
from pathlib import Path
from shutil import which

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOT_SAVED = re.compile(r"\b([xw](8|9|1[0-5]|18)|[vqdsh]\d+)\b")
# Assembly that saves and switches them, and the parser of the plan, which returns structures
# through x8 and is done before the first guest runs.
MAY = re.compile(r"^(vectors|vcpu_run|guest_serror|leav|another_|cpu_fp_|_start|clear_bss)"
                 r"|^(fail|message|parse|plan|text_quote|word)")


def offenders(disassembly: str) -> set[str]:
    found, function = set(), ""
    for line in disassembly.splitlines():
        head = re.match(r"^[0-9a-f]+ <(.+)>:$", line)
        if head:
            function = head[1]
            continue
        code = re.sub(r"<.*?>|//.*", "", line.partition(":")[2])
        if NOT_SAVED.search(code) and not MAY.match(function):
            found.add(function)
    return found


@pytest.mark.parametrize("armv8_board", ["virt-a72", "virt-a72-gicv3"])
def test_no_register_that_a_light_frame_does_not_hold_is_used(armv8_board):
    image = ROOT / "build" / armv8_board / "hypbench.elf"
    objdump = which("aarch64-none-elf-objdump") or "aarch64-linux-gnu-objdump"
    text = subprocess.run([objdump, "-d", "--no-show-raw-insn", image],
                          check=True, capture_output=True, text=True).stdout
    assert "<trap_sync>" in text or "<on_data_abort>" in text
    assert offenders(text) == set()


def test_a_use_is_found():
    text = "0000000040200000 <trap_irq>:\n    40200000:\tadd\tx9, x0, #0x1\n"
    assert offenders(text) == {"trap_irq"}
