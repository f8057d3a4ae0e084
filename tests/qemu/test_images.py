# SPDX-License-Identifier: Apache-2.0
"""The files of `make image` for boot loaders, beside the ELF, also with another plan in them."""

import struct
import subprocess
import tempfile
from pathlib import Path

import pytest

from hypbench import plan as plans
from hypbench import qemu
from hypbench.boards import images
from hypbench.boards.programs import run
from hypbench.plan_language import parse
from lab import CLOCK, PLATFORM, ROOT, TREE, board_facts, need_image, run_qemu
from test_make import make

pytestmark = pytest.mark.long

PLAN = "order once\nconfig native\nconfig trapped\nbench hvc n=10\nbench timer_wakeup n=10\n"
ARCHITECTURES = {"armv7": 2, "armv8": 22}  # IH_ARCH_ARM, IH_ARCH_ARM64 of U-Boot's image.h
LINUX, KERNEL, UNCOMPRESSED = 5, 2, 0


def boards_with(kind: str) -> list[str]:
    return [board for board in TREE.boards() if kind in TREE.board_fact(board, "IMAGES").split()]


def built_file(board: str, name: str) -> bytes:
    need_image(board)
    return (TREE.build(board) / name).read_bytes()


@pytest.mark.parametrize("image_board", boards_with("uImage"))
def test_a_uimage_is_the_raw_image_with_its_address(image_board):
    image = built_file(image_board, "hypbench.uimg")
    words = images.UIMAGE.unpack_from(image)
    base = int(board_facts(image_board)["HYP_BASE"], 16)
    assert words[4:6] == (base, base)
    assert words[7:11] == (LINUX, ARCHITECTURES[board_facts(image_board)["ISA"]], KERNEL,
                           UNCOMPRESSED)
    assert words[11].rstrip(b"\0") == f"hypbench {image_board}".encode()
    assert image[images.UIMAGE.size:] == built_file(image_board, "hypbench.bin")


@pytest.mark.parametrize("image_board", boards_with("Image"))
def test_an_arm64_image_says_how_it_is_loaded(image_board):
    """The header is that of Linux, Documentation/arm64/booting.rst."""
    image = built_file(image_board, "hypbench.img")
    _, _, text_offset, size, flags, magic = struct.unpack_from("<2I3Q24xI", image)
    assert image[56:60] == b"ARM\x64" == struct.pack("<I", magic)
    assert size >= len(image) and not flags & 1  # little-endian
    assert image == built_file(image_board, "hypbench.bin")
    assert (int(board_facts(image_board)["HYP_BASE"], 16) - text_offset) % (2 << 20) == 0


def test_an_image_without_the_header_is_not_called_one():
    """`make -o` keeps the raw image of this test, which has no header."""
    board = "rpi4"
    assert "no arm64 Image header" in header_check(board, bytes(100))
    assert "no arm64 Image header" in header_check(board, bytes(56) + b"ARM\x63")
    assert header_check(board, bytes(56) + b"ARM\x64") == ""


def header_check(board: str, data: bytes) -> str:
    """Return the verdict on a raw image by the make rule of the arm64 Image, in a build folder of
    its own."""
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / board / "hypbench.bin"
        raw.parent.mkdir()
        raw.write_bytes(data)
        target = raw.with_suffix(".img")
        process = subprocess.run(["make", "--no-print-directory", f"BOARD={board}",
                                  f"BUILD={folder}", "-o", str(raw), str(target)], cwd=ROOT,
                                 capture_output=True, text=True, check=False,
                                 stdin=subprocess.DEVNULL)
        assert target.exists() == (process.returncode == 0), process.stderr
        return process.stderr


def test_a_fit_has_the_image_and_the_device_tree(tmp_path):
    """The FIT is Arndale's, with a device tree of this test: `make images` makes no FITs."""
    tree = tmp_path / "mine.dtb"
    run("dtc", "-O", "dtb", "-o", tree, "-", stdin=b'/dts-v1/; / { model = "mine"; };')
    make("image", "BOARD=arndale", f"DTB={tree}")
    path = TREE.build("arndale") / "hypbench.itb"
    listing = subprocess.run(["dumpimage", "-l", path], capture_output=True, text=True,
                             check=True).stdout
    base = board_facts("arndale")["HYP_BASE"]
    for word in ("OS:           Linux", "Architecture: ARM\n", f"Load Address: {base}",
                 f"Entry Point:  {base}", "Default Configuration: 'conf'", "Hash algo:    crc32"):
        assert word in listing, listing
    for number, data in ((0, built_file("arndale", "hypbench.bin")), (1, tree.read_bytes())):
        part = tmp_path / "part"
        subprocess.run(["dumpimage", "-T", "flat_dt", "-p", str(number), "-o", part, path],
                       capture_output=True, check=True)
        assert part.read_bytes() == data
    path.unlink()  # no board of this tree has this device tree


def test_no_tool_is_named_with_its_package(tmp_path):
    process = subprocess.run(["make", "BOARD=virt-a72", "-W", "build/virt-a72/hypbench.bin",
                              "build/virt-a72/hypbench.uimg"], cwd=ROOT, capture_output=True,
                             text=True, check=False,
                             env={"PATH": path_without("mkimage", tmp_path)})
    assert process.returncode
    assert "mkimage is missing: it is in the package u-boot-tools" in process.stderr
    assert "`tools/setup.sh boards` installs it" in process.stderr


def path_without(tool: str, folder: Path) -> str:
    """Return a PATH with all programs except one tool."""
    for place in ("/usr/local/bin", "/usr/bin", "/bin"):
        for path in Path(place).iterdir() if Path(place).is_dir() else ():
            if path.name != tool and not (folder / path.name).exists():
                (folder / path.name).symlink_to(path)
    return str(folder)


def records_of(board: str, image: bytes) -> bytes:
    """Return the records of a run without the first, which depends on how the image was started."""
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        path = Path(folder) / "image"
        path.write_bytes(image)
        result = run_qemu(qemu.command(TREE.qemu_options(board), CLOCK, path))
    result.assert_ended(0)
    return result.without_run_record


def test_a_uimage_with_another_plan_runs_as_the_elf_does(built):
    """QEMU loads a uImage itself, and enters the uImage as it enters Linux."""
    elf, uimage = [images.patch(built_file(built, name), parse(PLAN), PLATFORM)
                   for name in ("hypbench.elf", "hypbench.uimg")]
    assert plans.read_plan(uimage) == plans.read_plan(elf)
    assert records_of(built, uimage) == records_of(built, elf)
