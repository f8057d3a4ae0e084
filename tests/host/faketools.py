# SPDX-License-Identifier: Apache-2.0
"""A folder of programs for a script: links to some of this machine's programs, and fakes."""

import os
import shutil
import subprocess
from pathlib import Path


class FakeTools:
    """`bin` is the whole PATH of a script; fakes may append their arguments to `log`."""

    def __init__(self, root: Path, *real: str):
        self.root, self.bin, self.log = root, root / "bin", root / "log"
        self.bin.mkdir(parents=True)
        for name in real:
            (self.bin / name).symlink_to(shutil.which(name))

    def fake(self, name: str, text: str, folder: Path | None = None) -> None:
        path = (folder or self.bin) / name
        # Writing through a link would change this machine's tool.
        path.unlink(missing_ok=True)
        path.write_text(f"#!{shutil.which('bash')}\n{text}\n")
        path.chmod(0o755)

    def run(self, *words: object, **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False,
                              env=os.environ | {"PATH": str(self.bin)} | environment)

    def calls(self) -> list[str]:
        text = self.log.read_text().replace(str(self.root), "") if self.log.exists() else ""
        return text.splitlines()
