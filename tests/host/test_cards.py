# SPDX-License-Identifier: Apache-2.0
"""Card images and TFTP folders, read by other programs than the programs that made them. Other
tests check the boards' own descriptions, and their real files if the Debian archive is in
reach."""

import json
import re
import subprocess

import click
import pytest

from cards import CARD, OTHER, SECTOR, cards, needs, noise, raw_image  # noqa: F401
from hypbench import debian
from hypbench.apt_sources import NotDebian
from hypbench.boards import description, images
from hypbench.boards.card import check_room
from hypbench.boards.programs import run
from hypbench.boards.sources import Sources
from hypbench.plan import read_plan
from hypbench.plan_language import parse
from hypbench.plan_model import PLATFORMS
from hypbench.tree import Tree
from test_patch import uimage
from workbench import must_fail

OTHER_READ = parse(OTHER)
TOOLS = needs("mkimage", "dumpimage", "sfdisk", "mformat", "mcopy", "mdir")
BL1 = noise("bl1", 8 * 1024)
UNREACHABLE = (debian.Offline, NotDebian)


@pytest.fixture
def sample(cards):  # noqa: F811
    cards.write("build/sample/hypbench.uimg", uimage(cards.root, raw_image()))
    return cards


def partitions(path) -> dict:
    return json.loads(run("sfdisk", "--json", path))["partitiontable"]


def file_of(path, name: str) -> bytes:
    """Return a file of the first partition, read by mtools."""
    start = partitions(path)["partitions"][0]["start"]
    return run("mcopy", "-n", "-i", f"{path}@@{start * SECTOR}", f"::{name}", "-")


def names_in(path) -> list[str]:
    start = partitions(path)["partitions"][0]["start"]
    return sorted(run("mdir", "-b", "-i", f"{path}@@{start * SECTOR}", "::").decode()
                  .replace("::/", "").split())


def sectors(image: bytes, first: int, last: int) -> bytes:
    return image[first * SECTOR:(last + 1) * SECTOR]


@TOOLS
def test_the_partition_is_where_the_description_says(sample):
    image = sample.make()
    assert len(image) == 64 << 20
    table = partitions(sample.image)
    assert (table["label"], len(table["partitions"])) == ("dos", 1)
    partition = table["partitions"][0]
    assert (partition["start"], partition["size"], partition["type"]) == (
        4096, (64 << 11) - 4096, "c")
    assert partition["bootable"]
    assert sample.image.stat().st_blocks * SECTOR < 8 << 20  # the file is sparse
    # The FAT's boot sector names the kind of the file system and the place of its partition.
    assert image[4096 * SECTOR + 82:][:8] == b"FAT32   "
    assert int.from_bytes(image[4096 * SECTOR + 28:][:4], "little") == 4096


@TOOLS
def test_every_file_is_on_the_card_as_it_was(sample):
    sample.make()
    assert names_in(sample.image) == ["boot.scr", "config.txt", "fixup4.dat", "hypbench.uimg",
                                      "some-board.dtb", "start4.elf"]
    assert file_of(sample.image, "config.txt") == b"key=value\n"
    assert file_of(sample.image, "start4.elf") == sample.installed["start4"]
    assert file_of(sample.image, "some-board.dtb") == sample.installed["tree"]


@TOOLS
def test_the_script_is_one_that_uboot_takes(sample):
    sample.make()
    path = sample.write("boot.scr", file_of(sample.image, "boot.scr"))
    process = subprocess.run(["dumpimage", "-l", path], capture_output=True, text=True, check=True)
    assert "Script (uncompressed)" in process.stdout and "hypbench sample" in process.stdout
    assert path.read_bytes().endswith(b"echo from the card\n")


@TOOLS
def test_two_cards_of_the_same_files_are_the_same(sample, monkeypatch):
    first = sample.make()
    listing = run("mdir", "-i", f"{sample.image}@@{4096 * SECTOR}", "::").decode()
    assert listing.count("1980-01-01") == len(names_in(sample.image))  # all dates are equal
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert sample.make() == first
    assert sample.make("--scenario", "other") != first


@TOOLS
def test_the_plan_on_the_card_is_the_one_asked_for(sample):
    built = sample.root / "build" / "sample" / "hypbench.uimg"
    before = built.read_bytes()
    result = sample("sdcard", "--scenario", "other")
    assert "scenario other" in result.output
    image = file_of(sample.image, "hypbench.uimg")
    assert read_plan(image) == OTHER_READ
    assert images.patch(image, parse(OTHER), "silicon") == image  # its checksums are right
    assert built.read_bytes() == before
    sample.make("--scenario", "other", "--platform", "qemu-icount")
    assert PLATFORMS[read_plan(file_of(sample.image, "hypbench.uimg")).platform] == "qemu-icount"


@TOOLS
def test_raw_parts_are_at_their_sectors(sample):
    image = sample.make("--given", f"BL1={sample.write('bl1', BL1)}")
    assert sectors(image, 1, 16) == BL1
    second = sample.installed["second"]
    assert sectors(image, 17, 48) == second.ljust(32 * SECTOR, b"\0")
    assert not sectors(image, 49, 4095).strip(b"\0")  # the environment is also there
    assert partitions(sample.image)["partitions"][0]["start"] == 4096


@TOOLS
def test_without_bl1_it_is_said_where_it_goes(sample):
    result = sample("sdcard")
    assert result.exit_code == 0
    assert "NOT ON THE CARD: first.bin, sectors 1 to 16: the board does not start" in result.stderr
    assert "make sdcard BOARD=sample BL1=<file>" in result.stderr
    assert not sectors(sample.image.read_bytes(), 1, 16).strip(b"\0")
    # The command for doing it by hand makes the same card.
    command = re.search(r"dd if=<file> (of=\S+) bs=512 (seek=\d+) (conv=\w+)", result.stderr)
    subprocess.run(["dd", f"if={sample.write('bl1', BL1)}", "bs=512", "status=none",
                    *command.groups()], cwd=sample.root, check=True)
    by_hand = sample.image.read_bytes()
    with_bl1 = sample("sdcard", "--given", f"BL1={sample.root / 'bl1'}")
    assert "NOT ON THE CARD" not in with_bl1.output
    assert sample.image.read_bytes() == by_hand


@pytest.mark.parametrize("data, says", [
    (BL1 + b"x", "first.bin (BL1={}) is too long: 8193 bytes, sectors 1 to 16 hold 8192"),
    (b"", "is empty"), (None, "cannot read")])
def test_a_bl1_that_cannot_be(sample, data, says):
    path = sample.root / "bl1"
    if data is not None:
        path.write_bytes(data)
    must_fail(sample("sdcard", "--given", f"BL1={path}"), says.format(path))
    assert not sample.image.exists()


@TOOLS
def test_files_of_the_user_win(sample):
    sample.write("mine/start4.elf", b"my own")
    sample.write("mine/fixup4.dat", b"and this")
    tree = sample.write("mine/other-name.dtb", b"my tree")
    sample.make("--given", f"FIRMWARE={sample.root / 'mine'}", "--given", f"DTB={tree}")
    assert file_of(sample.image, "start4.elf") == b"my own"
    assert file_of(sample.image, "some-board.dtb") == b"my tree"


def test_a_word_that_the_board_does_not_take(sample):
    must_fail(sample("sdcard", "--given", "UBOOT=/x"),
              "sample takes no UBOOT=; it takes: BL1, DTB, FIRMWARE, SPL", 2)
    must_fail(sample("sdcard", "--given", "UBOOT"), "is not WORD=PATH", 2)


def test_offline_says_which_file_is_missing_and_how_to_give_it(sample, monkeypatch):
    packages = []

    def fetch(package, *_words, **_more):
        packages.append(package)
        raise debian.Offline("the Debian archive cannot be reached\nwithout it: unpack it there")

    monkeypatch.setattr(debian, "fetch", fetch)
    for name in ("boot/second.bin", "firmware/start4.elf", "firmware/fixup4.dat"):
        (sample.root / "machine" / "usr" / "lib" / name).unlink()
    result = sample("sdcard")
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        "Error: the Debian archive cannot be reached",
        "second.bin is not there: SPL=<file>, or unpack it there",
        "start4.elf is not there: FIRMWARE=<folder>, or unpack it there",
        "fixup4.dat is not there: FIRMWARE=<folder>, or unpack it there"]
    assert packages == ["boot-package", "firmware"] and not sample.image.exists()


def test_boards_without_a_card_or_an_image(sample):
    must_fail(sample("sdcard", "--board", "plain"), "board 'plain' has no card", 2)
    assert "with one: sample" in sample("sdcard", "--board", "plain").output
    must_fail(sample("sdcard", "--board", "nosuch"), "no board 'nosuch'; there are: plain, sample",
              2)
    must_fail(sample("sdcard", "--scenario", "nosuch"), "no scenario 'nosuch'; there are: default",
              2)
    (sample.out / "hypbench.uimg").unlink()
    must_fail(sample("sdcard"), "`make image BOARD=sample` makes it")


@pytest.mark.parametrize("old, new, says", [
    ("sectors = [17, 48]", "sectors = [16, 48]", "first.bin and second.bin overlap at sector 16"),
    ("sectors = [1, 16]", "sectors = [0, 16]", "the partition table and first.bin overlap"),
    ("sectors = [17, 48]", "sectors = [1100, 1131]", "environment and second.bin overlap"),
    ("start = 4096", "start = 1104", "environment and the FAT partition overlap at sector 1104"),
    ("start = 4096", "start = 131072", "begin on the card"),
    ("size_mib = 64", "size_mib = 96", "size_mib is 96; it must be a power of two"),
    ("sectors = [1, 16]", "sectors = [16]", "first.bin: sectors must be [first, last]"),
    ('board = "config.txt"', 'bord = "config.txt"', "[fat.files] has an unknown 'bord'; valid:"),
    ("size_mib = 64", "size = 64", "unknown 'size'; valid: size_mib, fat"),
    ('name = "config.txt"', 'name = "boot.scr"', "boot.scr is there twice"),
    ('files = ["hypbench.uimg"', 'files = ["hypbench.bin"', "[tftp] has hypbench.bin, which is"),
    ("start = 4096", "start 4096", "card.toml: "),
    ("start = 4096", "", "card.toml: ")])
def test_a_description_that_cannot_be(sample, old, new, says):
    sample.change(old, new)
    must_fail(sample("sdcard"), says)


@TOOLS
def test_a_card_that_is_full_says_so_and_leaves_the_old_one(sample):
    before = sample.make()
    sample.write("boards/sample/config.txt", bytes(70 << 20))
    must_fail(sample("sdcard"), "Disk full")
    assert sample.image.read_bytes() == before
    assert not list(sample.out.glob(".card-*"))


@TOOLS
def test_a_tftp_folder_has_what_its_commands_load(sample):
    result = sample("tftp", "--scenario", "other", "--serverip", "10.0.0.1")
    assert result.exit_code == 0, result.output
    folder = sample.out / "tftp"
    assert sorted(path.name for path in folder.iterdir()) == [
        "boot.scr.uimg", "hypbench.uimg", "some-board.dtb"]
    assert read_plan((folder / "hypbench.uimg").read_bytes()) == OTHER_READ
    commands = CARD.split('commands = """\n')[1].split('"""')[0]
    assert (folder / "boot.scr.uimg").read_bytes().endswith(b"make tftp`\n" + commands.encode())
    by_script, by_hand = result.output.split("command by command:")
    prompt = ["usb start", "setenv autoload no", "dhcp", "setenv serverip 10.0.0.1"]
    assert commands_in(by_script) == [*prompt, "tftpboot ${scriptaddr} boot.scr.uimg",
                                      "source ${scriptaddr}"]
    assert commands_in(by_hand) == prompt + commands.splitlines()


def test_a_board_without_tftp(sample):
    sample.write("boards/sample/card.toml", CARD.split("[tftp]")[0])
    must_fail(sample("tftp"), "boards/sample/card.toml has no [tftp]")


def commands_in(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.startswith("    ")]


# --- the boards of this tree ---

BOARDS = description.boards_with_cards(Tree())


@pytest.mark.parametrize("board", BOARDS)
def test_descriptions_name_files_that_are_there(board):
    card = description.read_card(Tree(), board)
    kinds = {"Image": "hypbench.img", "uImage": "hypbench.uimg", "fit": "hypbench.itb"}
    built = [kinds[kind] for kind in Tree().board_fact(board, "IMAGES").split()]
    for file in card.all_files():
        assert file.given or file.build in built or (
            Tree().root / "boards" / board / (file.board or file.script)).is_file(), file.name


@pytest.mark.parametrize("board", BOARDS)
def test_scripts_load_what_is_on_the_card(board):
    card = description.read_card(Tree(), board)
    on_card = {file.name for file in card.fat.files}
    text = (Tree().root / "boards" / board / "boot.cmd").read_text()
    text += card.tftp.commands
    loaded = set(re.findall(r"[\w.-]+\.(?:img|uimg|itb|dtb|bin)\b", text))
    assert loaded and loaded <= on_card
    assert set(re.findall(r"[\w.-]+\.(?:img|uimg|itb|dtb)\b", card.tftp.commands)) <= set(
        card.tftp.files)


def test_arndales_sectors():
    """The sectors are those of U-Boot (board/samsung/common, configs/arndale_defconfig: ENV_OFFSET
    0x86200)."""
    card = description.read_card(Tree(), "arndale")
    assert {file.name: file.sectors for file in [*card.raw, *card.reserved]} == {
        "arndale-bl1.bin": (1, 16), "arndale-spl.bin": (17, 48), "u-boot.bin": (49, 1072),
        "U-Boot's environment": (0x86200 // SECTOR, (0x86200 + 0x4000) // SECTOR - 1)}
    assert card.fat.start == 4096


@pytest.mark.long
def test_the_arndales_files_are_in_debians_packages():
    """Each of the files also fits into its sectors."""
    sources = Sources(Tree(), "arndale", OTHER, "silicon", {})
    files = [file for file in description.read_card(Tree(), "arndale").all_files()
             if file.package or file.device_tree]
    assert len(files) == 3
    try:
        for file in files:
            check_room(file, sources.find(file))
    except click.ClickException as error:
        if any(isinstance(failure, UNREACHABLE) for failure in sources.failures.values()):
            pytest.skip(f"the Debian archive is out of reach: {error.message.splitlines()[0]}")
        pytest.fail(error.message)


@TOOLS
def test_debians_packages_are_asked_for_what_is_not_installed(sample, monkeypatch):
    folder = sample.write("fetched/usr/lib/firmware/start4.elf", b"fetched").parents[3]
    monkeypatch.setattr(debian, "fetch", lambda *_words, **_more: folder)
    (sample.root / "machine" / "usr/lib/firmware/start4.elf").unlink()
    sample.make()
    assert file_of(sample.image, "start4.elf") == b"fetched"
    (folder / "usr/lib/firmware/start4.elf").unlink()
    must_fail(sample("sdcard"), "the package has no usr/lib/firmware/start4.elf")
