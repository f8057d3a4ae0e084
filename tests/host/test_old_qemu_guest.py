# SPDX-License-Identifier: Apache-2.0
"""A guest with several vCPUs on a QEMU whose vCPUs starve each other by icount gets a line before
the run."""

import pytest

from guestlogs import guest_log
from test_guest_command import WHOLE, GuestBench

VERSION = """if "--version" in sys.argv:
    print("QEMU emulator version {} (Debian)")
    sys.exit(0)
"""


@pytest.fixture
def bench(tmp_path):
    return GuestBench(tmp_path)


def lines(bench, version: str, *words: object) -> list[str]:
    """Return the lines of standard error. The fake QEMU answers --version before it prints its
    log."""
    bench.guest(WHOLE, guest_log(platform=f"qemu-{words[-1]}"))
    text = bench.qemu.read_text()
    bench.qemu.write_text(text.replace("pathlib.Path(__file__).with_name(\"words\")",
                                       VERSION.format(version)
                                       + "pathlib.Path(__file__).with_name(\"words\")", 1))
    done = bench.start(bench.image, *words)
    assert done.returncode == 0, done.stderr
    return done.stderr.decode().splitlines()


TWO = ("--cpus", 2, "--clock", "icount")


@pytest.mark.parametrize("version", ["7.2.22", "8.0.5", "6.1"])
def test_an_old_qemu_is_named_before_the_run(bench, version):
    said = lines(bench, version, *TWO)
    at = next(place for place, line in enumerate(said) if "starves the others" in line)
    assert said[at].startswith(f"hypbench: {bench.qemu} is version {version}: with CLOCK=icount")
    assert said[at].endswith("CPUS=1, CLOCK=host or a newer QEMU does not")
    assert "the guest powered off" in said[at + 1]


@pytest.mark.parametrize("version, words", [
    ("8.1.0", TWO), ("10.0.2", TWO), ("7.2.22", ("--cpus", 1, "--clock", "icount")),
    ("7.2.22", ("--cpus", 2, "--clock", "host")), ("of a kind", TWO)])
def test_others_have_no_such_line(bench, version, words):
    assert not any("starves" in line for line in lines(bench, version, *words))
