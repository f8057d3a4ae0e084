# SPDX-License-Identifier: Apache-2.0
"""A source tree with boards that have cards. Every file of a card is made up."""

import random
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from golden import FOLDER
from hypbench.boards import sources
from hypbench.boards.programs import PACKAGE_OF, SBIN
from hypbench.cli import main
from hypbench.plan_binary import pack
from hypbench.plan_language import parse
from hypbench.scenario_text import toml_of

SECTOR = 512
PLAN = "name built-in\nconfig native\nbench hvc n=1\n"
OTHER = "name other\nconfig trapped\nbench hvc n=2\n"
CARD = (FOLDER / "card.toml").read_text()
INSTALLED = {
    "second": "usr/lib/boot/second.bin",
    "start4": "usr/lib/firmware/start4.elf",
    "fixup4": "usr/lib/firmware/fixup4.dat",
    "tree": "usr/lib/linux-image-6.1.0-9-arm64/vendor/some-board.dtb",
}


def needs(*programs: str) -> pytest.MarkDecorator:
    path = f"{shutil.os.environ['PATH']}{SBIN}"
    missing = [name for name in programs if not shutil.which(name, path=path)]
    packages = sorted({PACKAGE_OF.get(name, name) for name in missing})
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} missing: install "
                              f"{' '.join(packages)} (tools/setup.sh boards)")


def noise(name: str, size: int) -> bytes:
    return random.Random(name).randbytes(size)


def raw_image(plan: str = PLAN, size: int = 40_000) -> bytes:
    """Return an image with the parts of a real one: code, a plan section, data."""
    return noise("code", 16 * 1000) + pack(parse(plan)) + noise("data", size)


class Cards:
    """The tree, with a function that runs the command line in it."""

    def __init__(self, root: Path):
        self.root = root
        self.out = root / "build" / "sample"
        self.image = self.out / "sdcard.img"
        self.write("boards/sample/board.mk", "ISA := armv7\n")
        self.write("boards/sample/card.toml", CARD)
        self.write("boards/sample/boot.cmd", "echo from the card\n")
        self.write("boards/sample/config.txt", "key=value\n")
        self.write("boards/plain/board.mk", "ISA := armv8\n")
        self.write("scenarios/default.toml", toml_of(parse(PLAN)))
        self.write("scenarios/other.toml", toml_of(parse(OTHER)))
        self.installed = {name: noise(name, 700) for name in INSTALLED}
        for name, path in INSTALLED.items():
            self.write(f"machine/{path}", self.installed[name])

    def write(self, name: str, data: bytes | str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    def change(self, old: str, new: str) -> None:
        """Give the card another description."""
        assert old in CARD
        self.write("boards/sample/card.toml", CARD.replace(old, new))

    def __call__(self, command: str, *words: str):
        board = () if "--board" in words else ("--board", "sample")
        return CliRunner().invoke(main, ["--root", str(self.root), command, *board, *words])

    def make(self, *words: str) -> bytes:
        result = self("sdcard", *words)
        assert result.exit_code == 0, result.output
        return self.image.read_bytes()


@pytest.fixture
def cards(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "INSTALLED", tmp_path / "machine")
    cards = Cards(tmp_path)
    cards.write("build/sample/hypbench.bin", raw_image())
    return cards
