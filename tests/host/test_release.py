# SPDX-License-Identifier: Apache-2.0
"""A release: the archive, the wheel's description, and `hypbench card`. The card that this command
makes from a ready card equals the card of `hypbench sdcard`, which needs all its tools."""

import io
import lzma
import re
import tarfile
import tomllib
from hashlib import sha256

import pytest
from click.testing import CliRunner

from cards import OTHER, SECTOR, cards, needs, noise, raw_image  # noqa: F401
from hypbench.boards import images, programs, ready
from hypbench.boards.card import CardFiles
from hypbench.boards.description import File
from hypbench.boards.sources import FileContent
from hypbench.cli import main
from hypbench.plan import read_plan
from hypbench.plan_language import parse
from hypbench.release import archive
from hypbench.release.commit import Commit
from hypbench.release.contents import BoardFiles
from hypbench.tree import HOME, Tree
from test_patch import uimage

pytestmark = pytest.mark.long

TOOLS = needs("mkimage", "sfdisk", "mformat", "mcopy")
COMMIT = Commit("0123456789ab", 1_700_000_000, "1.2.3")
BL1 = noise("bl1", 8 * 1024)
# The distribution that a module of another project comes from.
DISTRIBUTIONS = {"arro3": {"arro3-core", "arro3-io"}, "debian": {"python-debian"},
                 "elftools": {"pyelftools"}, "jinja2": {"Jinja2"}, "markupsafe": {"MarkupSafe"},
                 "serial": {"pyserial"}, "vl_convert": {"vl-convert-python"}}
IMPORT = re.compile(r"^\s*(?:from|import) (\w+)", re.MULTILINE)
BEYOND_THE_IMPORTS = {"protobuf"}  # perfetto imports protobuf without naming it
# This file runs in an environment without the package's dependencies.
IN_LABGRIDS = HOME / "tools/hypbench/farm/attend.py"


# ---- hypbench card

@pytest.fixture
def release(cards, monkeypatch):  # noqa: F811
    """A tree with a ready card, on a machine without a program that makes cards."""
    cards.write("build/sample/hypbench.uimg", uimage(cards.root, raw_image()))
    cards.expected = {word: cards.make("--scenario", word) for word in ("other", "default")}
    cards.bl1 = cards.write("own/bl1", BL1)
    cards.expected["with BL1"] = cards.make("--scenario", "other", "--given", f"BL1={cards.bl1}")
    image = cards.expected["default"]
    parts = ready.parts_of(CardFiles(found_in(cards), []), image)
    cards.write(f"images/sample/{ready.CARD}", lzma.compress(image, preset=0))
    cards.write(f"images/sample/{ready.PARTS}", ready.parts_json(parts))
    monkeypatch.setattr(programs, "SBIN", "")
    monkeypatch.setenv("PATH", str(cards.root / "no-programs"))
    return cards


def found_in(cards) -> list[tuple[File, FileContent]]:  # noqa: F811
    built = (cards.root / "build/sample/hypbench.uimg").read_bytes()
    image = images.patch(built, Tree(cards.root).plan("default"), "silicon")
    return [(File("hypbench.uimg", build="hypbench.uimg"), FileContent("hypbench.uimg", image, "")),
            (File("second.bin", sectors=(17, 48)),
             FileContent("second.bin", cards.installed["second"], "")),
            (File("start4.elf"), FileContent("start4.elf", cards.installed["start4"], ""))]


def invoke_card(tree, *words: str):
    return CliRunner().invoke(main, ["--root", str(tree.root), "card", *words])


@TOOLS
def test_a_ready_card_with_a_scenario_is_the_card_that_all_tools_make(release):
    out = release.root / "out.img"
    result = invoke_card(release, "sample", str(out), "--scenario", "other")
    assert result.exit_code == 0, result.output
    assert out.read_bytes() == release.expected["other"] != release.expected["default"]
    assert "NOT ON THE CARD: first.bin: the board does not start" in result.stderr


@TOOLS
def test_a_file_that_only_the_user_has_goes_to_its_sectors(release):
    out = release.root / "out.img"
    result = invoke_card(release, "sample", str(out), "--scenario", "other",
                         "--given", f"BL1={release.bl1}")
    assert out.read_bytes() == release.expected["with BL1"] and not result.stderr
    result = invoke_card(release, "sample", str(out), "--given", f"DTB={release.bl1}",
                         "--scenario", "other")
    assert result.exit_code == 2 and "DTB cannot be put onto a ready card" in result.output


@TOOLS
def test_a_folder_gets_the_files_of_the_fat(release):
    folder = release.root / "fat"
    folder.mkdir()
    result = invoke_card(release, "sample", str(folder), "--scenario", "other")
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in folder.iterdir()) == ["hypbench.uimg", "start4.elf"]
    assert (folder / "start4.elf").read_bytes() == release.installed["start4"]
    assert read_plan((folder / "hypbench.uimg").read_bytes()).benches == parse(OTHER).benches


@TOOLS
def test_a_damaged_card_is_refused_by_the_name_of_the_file(release):
    image = bytearray(release.expected["default"])
    image[17 * SECTOR] ^= 1
    release.write(f"images/sample/{ready.CARD}", lzma.compress(bytes(image), preset=0))
    result = invoke_card(release, "sample", str(release.root / "out.img"), "--scenario", "other")
    assert result.exit_code == 1 and "damaged: second.bin" in result.output
    release.write(f"images/sample/{ready.CARD}", b"no xz")
    result = invoke_card(release, "sample", str(release.root / "out.img"), "--scenario", "other")
    assert result.exit_code == 1 and "has a damaged card" in result.output
    assert not (release.root / "out.img").exists()


@TOOLS
def test_a_copy_of_a_file_in_another_file_is_not_that_file(release):
    """A FIT contains the device tree, which is also a file of the card."""
    tree = noise("tree", 700)
    image = noise("fit", 5) + tree + bytes(4 * SECTOR - 705) + tree + bytes(SECTOR)
    part = ready.part_of(File("some.dtb"), FileContent("some.dtb", tree, ""), image)
    assert part.start == 4 * SECTOR


@TOOLS
def test_a_board_without_a_card_gets_its_images_in_a_folder(release):
    release.write("images/plain/hypbench.img", raw_image())
    result = invoke_card(release, "plain", str(release.root / "new"), "--scenario", "other")
    assert result.exit_code == 1 and "TARGET must be a folder" in result.output
    (release.root / "new").mkdir()
    assert invoke_card(release, "plain", str(release.root / "new"), "--scenario", "other"
                       ).exit_code == 0
    image = (release.root / "new" / "hypbench.img").read_bytes()
    assert read_plan(image).benches == parse(OTHER).benches


@TOOLS
def test_a_device_is_asked_for_as_make_flash_asks(release):
    result = invoke_card(release, "sample", "/dev/not-there", "--scenario", "other")
    assert result.exit_code == 1 and "/dev/not-there: No such file" in result.output


def test_a_source_tree_has_no_ready_card(cards):  # noqa: F811
    result = invoke_card(cards, "sample", str(cards.root / "out.img"), "--scenario", "other")
    assert result.exit_code == 1 and "make sdcard BOARD=sample" in result.output


# ---- the archive

def files_of(boards: list[BoardFiles]) -> dict[str, bytes]:
    return archive.contents(Tree(), boards, ("some.whl", b"wheel"), b"{}")


def test_the_archive_has_a_digest_of_each_file():
    files = files_of([BoardFiles("rpi4", {"hypbench.img": b"image"}, [])])
    lines = dict(reversed(line.split("  ")) for line in files[archive.SUMS].decode().splitlines())
    assert lines == {name: sha256(data).hexdigest() for name, data in files.items()
                     if name != archive.SUMS}
    assert {"boards/rpi4/hypbench.img", "boards/rpi4/README.md", "scenarios/default.toml",
            "some.whl", "README.md", "LICENSE", "CAVEATS.md", archive.BILL} <= set(lines)


def test_the_archive_has_the_same_bytes_whatever_the_order_and_the_machine():
    files = files_of([BoardFiles("rpi4", {"hypbench.img": b"image"}, [])])
    packed = archive.packed(files, COMMIT)
    assert archive.packed(dict(reversed(files.items())), COMMIT) == packed
    with tarfile.open(fileobj=io.BytesIO(packed)) as opened:
        entries = opened.getmembers()
        assert opened.extractfile("hypbench-1.2.3/some.whl").read() == b"wheel"
    assert {(entry.uid, entry.gid, entry.uname, entry.gname, entry.mtime) for entry in entries} == {
        (0, 0, "", "", COMMIT.time)}
    assert {(entry.isdir(), entry.mode) for entry in entries} == {(True, 0o755), (False, 0o644)}
    names = [entry.name for entry in entries]
    assert all(name.startswith("hypbench-1.2.3") for name in names)
    assert len(set(names)) == len(names)


# ---- the wheel

def project() -> dict:
    return tomllib.loads((HOME / "pyproject.toml").read_text())


def test_the_wheel_needs_what_the_tools_import_in_the_pinned_versions():
    needed = dict(requirement.split(">=") for requirement in project()["project"]["dependencies"])
    imported = {name for path in (HOME / "tools/hypbench").rglob("*.py") if path != IN_LABGRIDS
                for name in IMPORT.findall(path.read_text())}
    pins = dict(line.split("==") for line in
                (HOME / "tools/requirements.txt").read_text().splitlines() if "==" in line)
    known = {name for module in imported for name in DISTRIBUTIONS.get(module, {module})}
    assert set(needed) == (known & set(pins)) | BEYOND_THE_IMPORTS
    assert {name: pins[name] for name in needed} == needed


def test_the_wheel_has_the_folders_that_the_tools_read():
    wheel = project()["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert all((HOME / name).is_dir() for name in wheel["only-include"] if name != "images")
    roots = {name.partition("/")[0] for name in wheel["only-include"]}
    assert {name.partition("/")[0] for name in wheel["sources"]} == roots
