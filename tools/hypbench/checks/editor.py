# SPDX-License-Identifier: Apache-2.0
"""The compilation database that clangd and other tools read: one command a source file."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

COMPILES = re.compile(r"^\S+gcc .* -c (?P<source>\S+) -o (?P<object>\S+)$")


def compilation_database(commands: str, folder: Path) -> str:
    """Return the database (https://clang.llvm.org/docs/JSONCompilationDatabase.html) of the
    commands that `make -nB V=1` prints in `folder`."""
    return json.dumps(list(entries(commands, folder)), indent=1)


def entries(commands: str, folder: Path) -> Iterator[dict[str, str]]:
    for line in commands.splitlines():
        match = COMPILES.match(line)
        if match:
            yield {"directory": str(folder), "file": match["source"], "output": match["object"],
                   "command": line}
