# SPDX-License-Identifier: Apache-2.0
"""A log that a terminal program or a user changed as a whole is named in one line."""

import bz2
import gzip

import pytest

from logmaker import log_of, sample_run
from test_commands import failed

LOG = log_of(sample_run(benches=("hvc",)), b"\n")
TEXT = LOG.decode()
COMMANDS = ("show", "check", "compare", "report")


def wrapped(content: bytes, width: int, line_end: bytes = b"\n") -> bytes:
    return b"".join(line[at:at + width] + line_end for line in content.splitlines()
                    for at in range(0, len(line), width))


FILES = {
    "UTF-16": (TEXT.encode("utf-16"), "text in UTF-16LE; `iconv -f UTF-16LE -t UTF-8` makes"),
    "UTF-16BE": (b"\xfe\xff" + TEXT.encode("utf-16-be"), "text in UTF-16BE; `iconv"),
    "UTF-16 without a mark": (("boot\n" + TEXT).encode("utf-16-le"), "text in UTF-16LE; `iconv"),
    "gzip": (gzip.compress(LOG), "compressed by gzip; `gunzip` unpacks it"),
    "bzip2": (bz2.compress(LOG), "compressed by bzip2; `bunzip2` unpacks it"),
    "80 columns": (wrapped(LOG, 80), "wrapped at 80 columns, as a terminal shows lines; save the"),
    "132 columns": (b"U-Boot\r\n" + wrapped(LOG, 132, b"\r\n"), "wrapped at 132 columns"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", FILES)
def test_a_log_that_is_none_as_it_stands_is_named(bench, command, name):
    content, says = FILES[name]
    path, good = bench.root / "console.log", bench.root / "good"
    path.write_bytes(content)
    good.write_bytes(LOG)
    both = [str(good)] if command in ("compare", "report") else []
    result = bench(command, str(path), *both)
    failed(result, f"{path} is {says}", 2)
    assert len(result.output.splitlines()) == 1


@pytest.mark.parametrize("content", [b"U-Boot\n" * 9, b"x" * 80 + b"\n", b"", b"=" * 80 + b"\n" * 5,
                                     (b"=" * 80 + b"\n") * 5])
def test_what_is_no_log_at_all_has_no_run_record(bench, content):
    (bench.root / "x").write_bytes(content)
    failed(bench("show", str(bench.root / "x")), "has no run record")


def test_a_console_with_a_wrapped_text_is_a_log(bench):
    (bench.root / "x").write_bytes(wrapped(b"=" * 400, 80) + LOG)
    assert bench("check", str(bench.root / "x")).exit_code == 0
