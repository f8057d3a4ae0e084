# SPDX-License-Identifier: Apache-2.0
"""A farm on this machine: labgrid's coordinator, two exporters, and four places whose boards are
QEMU machines. One place has U-Boot and a card, one has U-Boot and TFTP, and two take the image from
a server."""

import json
import os
import shlex
import shutil
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import planted
from fetched import missing
from howto import blocks, lacking
from hypbench import debian, qemu
from hypbench.boards.card import collect
from hypbench.boards.description import read_card
from hypbench.boards.sources import Sources
from hypbench.farm.campaign import ATTEMPTS
from hypbench.farm.machine import power_strip
from hypbench.records import Log, read_log
from lab import CLOCK, PLATFORM, TREE, is_built
from rack import LOCAL, Labgrid, Mux, Slot, free_port

pytestmark = [pytest.mark.nightly, pytest.mark.group("a farm of four places")]

LIMIT_S = 600
SILENCE_S = "6"
SCENARIO = """title = "A short run"
question = "Does each place of the farm run a scenario?"
limit_ms = 1000
bench = [{ name = "hvc", n = 10 }, { name = "sgi_self", n = 10 }]
[config]
native = {}
trapped = {}
"""
# The card of a QEMU machine is a file, so the farm has a resource and a driver of its own for it.
DRIVERS = '''
import shutil
import attr
from labgrid import target_factory
from labgrid.driver import Driver
from labgrid.resource import Resource

@target_factory.reg_resource
@attr.s(eq=False)
class CardFile(Resource):
    path = attr.ib()

@target_factory.reg_driver
@attr.s(eq=False)
class CardFileDriver(Driver):
    bindings = {"card": "CardFile"}
    def set_mode(self, mode):
        pass
    def write_image(self, filename):
        shutil.copyfile(filename, self.card.path)

DRIVERS = {"CardFile": ["CardFileDriver"]}
'''
# labgrid reaches everything on this machine, even by ssh.
SSH = """#!/bin/sh
while [ $# -gt 0 ]; do
	case $1 in -o) shift 2 ;; -O) exit 0 ;; -*) shift ;; *) break ;; esac
done
shift
[ "$1" != -- ] || shift
exec sh -c "$*"
"""
PI, ZYNQ, V8, V7 = "pi-1", "zynq-1", "virt-1", "virt-2"
BOARDS = {PI: "rpi4", ZYNQ: "zcu102", V8: "virt-a72", V7: "virt-a15"}
TAGS = {PI: ["boot=card"], ZYNQ: ["boot=firmware", "image=hypbench.elf", "serial=zynq-0001"],
        V8: ["boot=tftp", "serial=virt-0001"],
        V7: ["boot=firmware", "image=hypbench.elf", "serial=virt-0002"]}
RACKS = {"east": (PI, ZYNQ), "west": (V8, V7)}
# The place of docs/howto/farm.md, and the replacement of each part of its hardware.
PAGE_PLACE = "pi-rack-3"
PAGE = TREE.root / "docs/howto/farm.md"
HARDWARE = {"USBSerialPort": "NetworkSerialPort", "NetworkPowerPort": "NetworkPowerPort",
            "USBSDMuxDevice": "NetworkUSBSDMuxDevice", "USBMassStorage": "NetworkUSBMassStorage"}
CARD_BYTES = 64 << 20  # size_mib of boards/rpi4/card.toml


def uboot_of_virt() -> Path:
    folder = debian.fetch("u-boot-qemu", "amd64", cache=TREE.builds / "cache" / "debian")
    return folder / "usr/lib/u-boot/qemu_arm64/u-boot.bin"


def boot_files(folder: Path) -> dict[str, Path]:
    """Return the files with which QEMU starts raspi4b: U-Boot and the device tree of the card."""
    plan = TREE.plan("short")
    names = ("u-boot.bin", "bcm2711-rpi-4-b.dtb")
    files = [file for file in read_card(TREE, "rpi4").all_files() if file.name in names]
    for entry in (collected := collect(files, Sources(TREE, "rpi4", plan, PLATFORM, {}))).contents:
        (folder / entry[1].name).write_bytes(entry[1].data)
    assert len(collected.found) == len(names)
    return {name: folder / name for name in names}


def card_words(card: Path) -> list[str]:
    return ["-drive", f"if=sd,file={card},format=raw"]


@dataclass
class Outcome:
    status: int
    output: str
    rows: dict[str, dict[str, str]] = field(default_factory=dict)


class Farm:
    """The rack, labgrid, and the command of a user."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.builds = folder / "build"  # the tool's tree: images of this tree, runs of its own
        self.builds.mkdir()
        built = {folder.name for board in BOARDS.values() for folder in planted.built(TREE, board)}
        for name in ("venv", "farm-venv", "cache", *built):
            (self.builds / name).symlink_to(TREE.builds.resolve() / name)
        (folder / "bin").mkdir()
        (folder / "bin/ssh").write_text(SSH)
        (folder / "bin/ssh").chmod(0o755)
        (folder / "own.py").write_text(DRIVERS)
        (folder / "mine.toml").write_text(SCENARIO)
        self.files = boot_files(folder)
        self.environment = {"PATH": f"{folder}/bin:{os.environ['PATH']}",
                            "HYPBENCH_BUILD": str(self.builds)}
        self.slots = {name: Slot(lambda name=name: self.machine(name)) for name in BOARDS}
        self.mux = Mux(folder, CARD_BYTES)
        self.slots[PAGE_PLACE] = Slot(self.muxed_machine)
        strip = power_strip({str(number): slot for number, slot in enumerate(self.slots.values())},
                            LOCAL)
        self.strip = f"http://{LOCAL}:{strip.server_port}/{{index}}"
        programs = TREE.builds / "farm-venv/bin"
        self.labgrid = Labgrid(programs.resolve(), folder, self.environment)
        self.start()

    def start(self) -> None:
        self.labgrid.start("coordinator", "labgrid-coordinator", "--listen", self.labgrid.address)
        for exporter, names in RACKS.items():
            self.labgrid.export(exporter, {name: self.resources(name) for name in names})
        for name, board in BOARDS.items():
            self.labgrid.offer(name, f"board={board}", *TAGS[name])

    def resources(self, name: str) -> dict[str, dict]:
        index = list(self.slots).index(name)
        if name == PAGE_PLACE:
            files = self.mux.resources()
        elif name == PI:
            files = {"CardFile": {"path": str(self.folder / "card.img")}}
        else:
            files = {"TFTPProvider": {"internal": f"{self.folder}/tftp/{name}/",
                                      "external": f"{name}/"}}
        return {"NetworkSerialPort": {"host": LOCAL, "port": self.slots[name].port,
                                      "protocol": "raw"},
                "NetworkPowerPort": {"model": "rest", "host": self.strip, "index": index}, **files}

    def machine(self, name: str) -> list[str]:
        """Return the command of the board of a place, with the image that the place's server
        has."""
        options = TREE.qemu_options(BOARDS[name])
        if name == PI:
            return [*self.pi_without_card(), *card_words(self.folder / "card.img")]
        staged = self.folder / "tftp" / name / "hypbench.elf"
        words = qemu.command(options, CLOCK, staged)
        if name != V8:
            return words
        network = ["-netdev", f"user,id=net,tftp={self.folder}/tftp",
                   "-device", "virtio-net-device,netdev=net"]
        return [*qemu.unrecorded(words[:-2]), "-bios", str(uboot_of_virt()), *network]

    def pi_without_card(self) -> list[str]:
        options = TREE.qemu_options("rpi4")
        return [*options, *qemu.COMMON_OPTIONS[:6], *qemu.clock_options(options, CLOCK),
                "-serial", "null", "-serial", "stdio", "-kernel", str(self.files["u-boot.bin"]),
                "-dtb", str(self.files["bcm2711-rpi-4-b.dtb"])]

    def muxed_machine(self) -> list[str]:
        """Return the command of a board that has no card while the multiplexer gives the card to
        the host."""
        return [*self.pi_without_card(),
                *(card_words(self.mux.card) if self.mux.is_at_board else [])]

    def run(self, *places: str, before: tuple[str, ...] = (), scenario: str = "mine.toml",
            more: tuple[str, ...] = ()) -> Outcome:
        words = [word for name in places for word in ("--places", name)]
        process = subprocess.run(
            [*before, self.builds / "venv/bin/hypbench", "farm", "run", *words, "--scenario",
             scenario, "--platform", PLATFORM, "--silence", SILENCE_S,
             "--drivers", self.folder / "own.py", *more], cwd=self.folder, text=True,
            env=os.environ | self.labgrid.environment | {"COLUMNS": "200"}, timeout=LIMIT_S,
            capture_output=True, check=False)
        rows = [[cell.strip() for cell in line.split("│")[1:-1]]
                for line in process.stdout.splitlines() if line.startswith("│")]
        head = ("place", "board", "serial", "outcome", "attempts", "records")
        return Outcome(process.returncode, process.stderr + process.stdout,
                       {row[0]: dict(zip(head, row)) for row in rows})

    def log(self, outcome: Outcome, place: str) -> Log:
        return read_log((self.folder / outcome.rows[place]["records"]).read_bytes())

    def runs_at(self, place: str) -> list[dict]:
        """Return the entries of the index whose run was made at that place."""
        return [entry for path in self.builds.glob("runs/*/*/index.json")
                for entry in json.loads(path.read_text())["runs"] if entry.get("place") == place]

    def is_free(self) -> bool:
        """Check that every place is released, and every board is off."""
        return ("acquired: None" in self.labgrid.client("-v", "places")
                and self.labgrid.client("who").strip().count("\n") == 0
                and not any(slot.is_on for slot in self.slots.values()))

    def close(self) -> None:
        self.labgrid.close()
        self.mux.close()
        for slot in self.slots.values():
            slot.power(False)


@pytest.fixture(scope="module", name="farm")
def a_farm(tmp_path_factory) -> Iterator[Farm]:
    for board in BOARDS.values():
        assert is_built(board), f"build/{board} has no image: make image BOARD={board}"
        if reason := qemu.too_old(TREE.qemu_options(board), TREE.board_fact(board, "QEMU_NEEDS")):
            pytest.skip(f"{board}: {reason}")
    if reason := missing("U-Boot", uboot_of_virt):
        pytest.skip(reason)
    process = subprocess.run([TREE.root / "tools/setup.sh", "--quiet", "farm"], check=False,
                             text=True, capture_output=True)
    if process.returncode:
        pytest.skip(f"labgrid cannot be had: {process.stderr.splitlines()[-1]}")
    farm = Farm(tmp_path_factory.mktemp("farm"))
    yield farm
    farm.close()


@pytest.fixture(autouse=True)
def as_usual(farm: Farm) -> Iterator[None]:
    """Give the slots their own boards again, and check that no place is left acquired."""
    yield
    for slot in farm.slots.values():
        slot.command, slot.on_output = slot.usual_command, lambda data: None
    assert farm.is_free()


def test_four_places_of_two_exporters_run_a_scenario_at_once(farm):
    outcome = farm.run("*")
    assert outcome.status == 0, outcome.output
    for place, board in BOARDS.items():
        row = outcome.rows[place]
        facts = (row["board"], row["outcome"], row["attempts"])
        assert facts == (board, "sound", "1"), outcome.output
        run = farm.log(outcome, place).run
        assert run["board"] == board and run["plan"] == "mine"
        entry, = farm.runs_at(place)
        assert entry["sound"] and entry["serial"] == row["serial"]
        assert entry["serial_from"] == ("u-boot" if place == PI else "tag")
    assert outcome.rows[ZYNQ]["serial"] == "zynq-0001"
    assert f"at {ZYNQ} (board zynq-0001 by tag)" in list_runs(farm)
    assert f"{V8}: state u-boot" in outcome.output and f"{PI}: state u-boot" in outcome.output


def list_runs(farm: Farm) -> str:
    process = subprocess.run([farm.builds / "venv/bin/hypbench", "runs"], capture_output=True,
                             text=True, check=True, cwd=farm.folder,
                             env=os.environ | farm.labgrid.environment | {"COLUMNS": "200"})
    return " ".join(process.stdout.split())


def once(slot: Slot, mark: bytes, action) -> threading.Event:
    """Call `do` when the machine prints the mark for the first time."""
    event, output = threading.Event(), bytearray()

    def watch(data: bytes) -> None:
        output.extend(data)  # the mark may come in two parts
        if mark in output and not event.is_set():
            event.set()
            action()
    slot.on_output = watch
    return event


def test_a_machine_that_dies_in_mid_run_is_tried_again(farm):
    """A run at another place goes on."""
    died = once(farm.slots[V7], b'"kind":"step"', farm.slots[V7].crash)
    before = {place: len(farm.runs_at(place)) for place in (V7, ZYNQ)}
    outcome = farm.run(V7, ZYNQ)
    assert died.is_set() and outcome.status == 0, outcome.output
    assert outcome.rows[V7]["attempts"] == "2" and outcome.rows[ZYNQ]["attempts"] == "1"
    assert f"{V7}: attempt 1 of {ATTEMPTS}: silence" in outcome.output, outcome.output
    assert {place: len(farm.runs_at(place)) - before[place] for place in before} == {V7: 1, ZYNQ: 1}


def test_an_attendant_that_is_killed_is_tried_again(farm):
    """The farm releases the place of the killed attendant."""
    def kill() -> None:
        pids = subprocess.run(["pgrep", "-f", "-P", str(farm_run[0].pid), "attend.py run"],
                              capture_output=True, text=True, check=False).stdout.split()
        for pid in pids:
            os.kill(int(pid), 9)
    farm_run: list[subprocess.Popen] = []
    once(farm.slots[ZYNQ], b'"kind":"step"', kill)
    words = [farm.builds / "venv/bin/hypbench", "farm", "run", "--places", ZYNQ, "--scenario",
             "mine.toml", "--platform", PLATFORM, "--silence", SILENCE_S]
    with subprocess.Popen(words, cwd=farm.folder, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT,
                          env=os.environ | farm.labgrid.environment) as process:
        farm_run.append(process)
        output, _ = process.communicate(timeout=LIMIT_S)
    assert process.returncode == 0, output
    assert f"{ZYNQ}: attempt 1 of {ATTEMPTS}" in output and f"{ZYNQ}: sound" in output


def test_a_coordinator_that_begins_anew_ends_no_run(farm):
    begun = once(farm.slots[V7], b'"kind":"run"', lambda: farm.labgrid.restart("coordinator"))
    outcome = farm.run(V7, ZYNQ)
    assert begun.is_set() and outcome.status == 0, outcome.output
    assert {row["outcome"] for row in outcome.rows.values()} == {"sound"}
    for name in BOARDS:  # The exporters make their groups again.
        farm.labgrid.wait_for(["resources"], f"{name}/NetworkPowerPort")


def test_a_place_with_another_board_than_its_tag_is_given_up(farm):
    """The image of one board does not start on the other, so no output comes in any of three
    attempts."""
    image = farm.folder / "tftp" / ZYNQ / "hypbench.elf"
    farm.slots[ZYNQ].command = lambda: qemu.command(TREE.qemu_options("virt-a72"), CLOCK, image)
    count = farm.slots[ZYNQ].on_count
    outcome = farm.run(ZYNQ, V7)
    assert outcome.status == 1 and outcome.rows[ZYNQ]["outcome"] == "given up", outcome.output
    assert outcome.rows[ZYNQ]["attempts"] == str(ATTEMPTS)
    assert farm.slots[ZYNQ].on_count == count + ATTEMPTS
    assert outcome.rows[V7]["outcome"] == "sound"


def test_a_board_with_another_serial_number_than_its_tag_is_refused(farm):
    """U-Boot reports the number before the image starts."""
    farm.labgrid.client("-p", PI, "set-tags", "serial=0000000012345678")
    try:
        outcome = farm.run(PI)
    finally:
        farm.labgrid.client("-p", PI, "set-tags", "serial=")
    assert outcome.status == 1 and outcome.rows[PI]["outcome"] == "refused", outcome.output
    assert "the place's tag is serial=0000000012345678" in outcome.output


FULL = 'mount -t tmpfs -o size=8k tmpfs "$0" && exec "$@"'


def test_records_survive_a_full_disk(farm):
    """The whole run is kept in a folder for temporary files, and the earlier runs are unchanged."""
    small = farm.builds / "runs"
    before = ("unshare", "-rm", "sh", "-c", FULL, str(small))
    if subprocess.run([*before, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here, not even in a namespace")
    earlier = sorted(small.glob("*/*/*"))
    outcome = farm.run(V7, ZYNQ, before=before)
    assert outcome.status == 1, outcome.output
    for place in (V7, ZYNQ):
        row = outcome.rows[place]
        assert row["outcome"] == "failed" and "No space left on device" in outcome.output
        records = farm.folder / row["records"]
        assert read_log(records.read_bytes()).complete
        shutil.rmtree(records.parent)
    assert sorted(small.glob("*/*/*")) == earlier


@pytest.mark.parametrize("place, more, message", [
    ("zynk-1", (), "no place 'zynk-1', nearest 'zynq-1'"),
    (ZYNQ, ("--board", "rpi4"), f"place {ZYNQ} has board zcu102, not BOARD=rpi4")])
def test_a_place_that_cannot_be_is_refused(farm, place, more, message):
    outcome = farm.run(place, more=more)
    assert outcome.status == 2 and message in outcome.output


# ---- machines that the tool plays

class Played:
    """`hypbench farm machine` plays the board of a place, which has an exporter of its own."""

    def __init__(self, farm: Farm, name: str, board: str, **environment: str):
        self.farm, self.name, ports = farm, name, (free_port(), free_port())
        staged = farm.folder / "tftp" / name
        link = farm.builds / board
        if not link.exists():
            link.symlink_to(TREE.builds.resolve() / board)
        words = [farm.builds / "venv/bin/hypbench", "farm", "machine", "--board", board, "--image",
                 staged / "hypbench.elf", "--serial", str(ports[0]), "--power", str(ports[1])]
        self.process = subprocess.Popen(words, env=os.environ | farm.environment | environment)
        farm.labgrid.export(f"of-{name}", {name: {
            "NetworkSerialPort": {"host": LOCAL, "port": ports[0], "protocol": "raw"},
            "NetworkPowerPort": {"model": "rest", "index": 0,
                                 "host": f"http://{LOCAL}:{ports[1]}/{{index}}"},
            "TFTPProvider": {"internal": f"{staged}/", "external": f"{name}/"}}})
        farm.labgrid.offer(name, f"board={board}", "boot=firmware", "image=hypbench.elf")

    def close(self) -> None:
        self.farm.labgrid.client("-p", self.name, "delete")
        self.process.terminate()
        self.process.wait()


def test_the_tool_plays_the_board_of_a_place(farm):
    played = Played(farm, "played", "zcu102")
    try:
        outcome = farm.run("played")
    finally:
        played.close()
    assert outcome.status == 0 and outcome.rows["played"]["outcome"] == "sound", outcome.output
    assert farm.log(outcome, "played").run["board"] == "zcu102"


# ---- make, and the page

class Reader(Labgrid):
    """A reader who follows the page line by line, in a folder of their own, with a coordinator at
    another address."""

    def __init__(self, farm: Farm):
        super().__init__(farm.labgrid.programs, farm.folder / "reader", farm.environment)
        self.folder.mkdir()
        (self.folder / "build").symlink_to(farm.builds)
        self.output = ""

    def follow(self, line: str) -> None:
        words = shlex.split(line)
        if words[0] in ("labgrid-coordinator", "labgrid-exporter"):
            more = ["--listen", self.address] if words[0].endswith("coordinator") else [
                "--hostname", "localhost"]
            self.start(words[0], words[0], *more, *words[1:])
            if words[0].endswith("coordinator"):
                self.wait_for(["places"], "")
            return
        if words[0] == "make":
            line = f"cd {TREE.root} && {line} O={self.folder / 'build'}"
        if line.startswith("export LG_COORDINATOR="):
            return
        path = f"{self.folder}/build/venv/bin:{self.programs}:{os.environ['PATH']}"
        process = subprocess.run(["bash", "-ec", line], cwd=self.folder, text=True, check=False,
                                 env=os.environ | self.environment | {
                                     "COLUMNS": "200",
                                     "PATH": f"{self.environment['PATH']}:{path}"},
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT_S)
        assert process.returncode == 0, f"{line}: {process.stdout}"
        self.output += process.stdout

    def replace_hardware(self, farm: Farm) -> None:
        """Export the same group, with a replacement for each part of the hardware."""
        self.words.pop("labgrid-exporter")
        exporter = self.running.pop("labgrid-exporter")
        exporter.terminate()
        exporter.wait()
        resources = farm.resources(PAGE_PLACE)
        assert list(resources) == list(HARDWARE.values())
        self.export("rack-3", {PAGE_PLACE: resources})
        self.wait_for(["resources"], f"{PAGE_PLACE}/NetworkUSBMassStorage")


def test_the_page_is_followed_with_a_card_behind_a_multiplexer(farm):
    """There is no hardware: labgrid's own drivers of USB-SD-Mux and mass storage write a loop
    device. If the multiplexer is in the wrong state, the host cannot write the card, or the board
    does not boot."""
    if not farm.mux.device:
        pytest.skip("no loop device can be made here (losetup; it takes root)")
    page, reader = list(blocks(PAGE)), Reader(farm)
    try:
        (exporter, first, output, second) = page
        (reader.folder / exporter.more).write_text(exporter.text)
        assert all(name in exporter.text for name in HARDWARE)
        for line in first.text.splitlines():
            reader.follow(line)
        assert lacking(reader.output, output.text) == []
        reader.replace_hardware(farm)
        for line in second.text.splitlines():
            reader.follow(line)
        assert reader.output.count(f"{PAGE_PLACE}: sound") == 2
        assert [entry["place"] for entry in farm.runs_at(PAGE_PLACE)] == [PAGE_PLACE] * 2
        assert farm.mux.is_at_board
    finally:
        reader.close()
