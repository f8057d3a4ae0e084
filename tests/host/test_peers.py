# SPDX-License-Identifier: Apache-2.0
"""Made-up lines of the probe and logs of other hypervisors. The tool reports a fault in them, and
prints no number of a faulty log."""

import stat
import sys
from dataclasses import asdict, dataclass, field
from types import SimpleNamespace

import click
import pytest
from peertables import figures_in

from hypbench.peers import cli
from hypbench.peers.kvm import Kvm
from hypbench.peers.pair import pair_result
from hypbench.peers.machine import Peer, without_el2
from hypbench.peers.probe import (EMPTY, PAIR_PATHS, PATHS, Expected, NotMeasured, result,
                                  whole_lines)
from hypbench.peers.image import MARKER, ROOM, Image, with_arguments
from hypbench.peers.kept import Column, columns_in, keep, kept_columns
from hypbench.peers.run import judge, measure
from hypbench.peers.systems import Identity, Hypbench
from hypbench.peers.windows import FACT
from hypbench.peers.xen import Xen
from hypbench.tree import HOME, Tree, packed
from logmaker import log_of, sample_run
from probelines import ONE_VM, contents, line, lines_of_vm, path, printed

GOOD = printed(contents())
EXPECTED = Expected(bits=64, gic=2, hz=1_000_000_000)
PEER = Peer(Tree(HOME), "virt-a72")
PEER_V3 = Peer(Tree(HOME), "virt-a72-gicv3")

XEN_HEAD = b"""(XEN) Xen version 4.17.5 (Debian 4.17.5+72) (builder) \
(arm-gcc (Debian 12.2.0-14) 12) debug=n M\r
(XEN) Using scheduler: SMP Credit Scheduler rev2 (credit2)\r
(XEN) Std. Loglevel: All\r
(XEN) Freed 352kB init memory.\r
"""
KVM_HEAD = b"""[    0.000000] Linux version 6.1.0-50-arm64 (builder) \
(gcc-12 (Debian 12.2.0-14) 12.2.0, ld) #1 SMP Debian 6.1.176-1\r
[    1.143609] kvm [1]: Hyp mode initialized successfully\r
[   13.328145] random: crng init done\r
[   16.330000] kvm_init: settled\r
kvm_init: Linux 6.1.0-50-arm64, GICv2\r
"""


def by_xen(text: bytes) -> bytes:
    """Return text as Xen prints a domain's console: with the domain's name before each line, and
    long lines cut after 127 bytes."""
    lines = [row[at:at + 127] for row in text.replace(b"\r", b"").splitlines()
             for at in range(0, len(row) + 1, 127)]
    return b"".join(b"(XEN) DOM1: " + row + b"\r\n" for row in lines)


XEN_LOG = XEN_HEAD + by_xen(GOOD)


def test_good_lines_give_the_figures():
    probe = result(b"noise\r\n" + GOOD, EXPECTED)
    assert [probe.figures[name].p50 for name in ONE_VM] == list(range(100, 100 + len(ONE_VM)))
    assert probe.call == "XENVER_version"
    assert probe.figures["psci_version"].cold == 109
    assert probe.lines == GOOD.replace(b"\r", b"")


def test_a_figure_stands_in_the_column_of_its_system():
    spread = printed(contents(timer_wfi={"same": 500, "min": 90, "max": 7000}))
    columns = [Column(key, key, {"version": "a fake"}, result(text, EXPECTED).figures)
               for key, text in (("one", GOOD), ("two", spread))]
    tables = figures_in(f"# Title\n\n{cli.markdown('virt-a72', columns)}\n## Next\n")
    assert tables["virt-a72"][PATHS["timer_wfi"]] == {"one": "109", "two": "109 (90 to 7000)"}


def log_without(name: str, **why) -> bytes:
    return printed([{"kind": "skip", "path": name} | why if members.get("path") == name else members
                    for members in contents()])


@pytest.mark.parametrize("text, says", [
    (b"", "printed nothing"), (log_without(EMPTY), "measured no empty window"),
    (GOOD.replace(b'"p50":100', b'"p50":101'), "a damaged line of the probe"),
    (GOOD.replace(line(3, contents()[3]) + b"\r\n", b""), "line 3 of the probe is missing, 4 came"),
    (GOOD + GOOD, "line 14 of the probe is missing, 0 came"),
    (GOOD[:GOOD.rindex(b'{"probe"')], "did not come to its end"),
    (printed(contents()[1:]), "first line is missing"),
    (printed([*contents()[:4], {"kind": "error", "what": "lost", "value": "0x3ff"}]),
     "the probe reports: .*lost"),
    (printed([*contents()[:4], {"kind": "crash", "vector": "0x200"}]),
     "the probe reports: .*crash"),
    (printed([members for members in contents() if members.get("path") != "sgi_self"]),
     "measured no sgi_self"),
    (printed(contents(empty={"min": 2})), "an empty window took 2 to 3 ticks, not 3"),
    (printed(contents(empty={"min": 4, "p50": 4, "max": 4})), "a tick is not one instruction"),
    (printed(contents(core={"hz": 62500000})), "found hz 62500000, where it should be 1000000000"),
    (printed(contents(start={"gic": 3})), "found gic 3, where it should be 2"),
    (printed(contents(start={"bits": 32})), "found bits 32, where it should be 64"),
    (printed(contents(start={"delay": 4})), "found delay 4, where it should be 0"),
    (printed(contents(start={"samples": 10})), "found samples 10, where it should be 1000"),
    (printed(contents(psci_version={"answer": "0xffffffffffffffff"})),
     "psci_version was answered with 0xf"),
    (printed(contents(smccc_version={"answer": "0xffffffff"})), "smccc_version was answered with"),
    (printed(contents(psci_version={"answer": "0x1"})), "answered with 0x1, which is no version"),
    (printed([{**members, "vm": "a"} for members in contents()]), "the probe printed nothing"),
    (printed(contents(gicd_iidr={"n": 999})), "gicd_iidr has 999 samples, not 1000"),
    (printed(contents(gicd_iidr={"min": 0})), "gicd_iidr cannot be true"),
    (printed(contents(gicd_iidr={"max": 5})), "gicd_iidr cannot be true"),
    (printed(contents(gicd_iidr={"same": 0})), "gicd_iidr cannot be true"),
])
def test_lines_that_cannot_be_believed_are_refused(text, says):
    with pytest.raises(NotMeasured, match=says):
        result(text, EXPECTED)


def test_psci_0_2_is_a_version():
    assert result(printed(contents(psci_version={"answer": "0x2"})), EXPECTED).figures


@pytest.mark.parametrize("name", ONE_VM)
def test_any_path_may_be_absent_with_its_reason(name):
    probe = result(log_without(name, why="refused"), EXPECTED)
    assert name not in probe.figures
    assert probe.absent == {name: "refused"}


@pytest.mark.parametrize("prefix", [b"[guest0/uart0] ", b"(XEN) DOM1: ", b"\0", b"a: ", b"[1.5] "])
def test_any_prefix_may_stand_before_the_lines(prefix):
    text = b"".join(prefix + line + b"\n" for line in GOOD.split(b"\r\n")[:-1])
    assert result(b"Booting {1}\n" + text, EXPECTED) == result(GOOD, EXPECTED)


def test_delay_is_expected_in_the_empty_window():
    delayed = Expected(64, 2, 1_000_000_000, delay=10)
    with_delay = contents(start={"delay": 10}, empty={"min": 13, "p50": 13, "max": 13})
    assert result(printed(with_delay), delayed).figures["empty"].p50 == 13
    with pytest.raises(NotMeasured, match="an empty window took 3 to 3 ticks, not 13"):
        result(printed(contents(start={"delay": 10})), delayed)


def test_xen_that_ran_as_asked_is_measured():
    run = judge(XEN_LOG, Xen("credit2"), PEER)
    assert run.identity.build == "debug=n"
    assert run.version == ("Xen 4.17.5 (Debian 4.17.5+72), Using scheduler: SMP Credit Scheduler"
                           " rev2 (credit2)")
    assert run.probe.figures["sgi_self"].p50 == 107


def test_lines_that_xen_cuts_are_whole_again():
    exact = path("psci_version", 100, max=100000)  # 127 bytes, so an empty line follows
    assert b"DOM1: \r\n" in by_xen(line(2, exact) + b"\r\n") or len(line(2, exact)) != 127
    unnamed = XEN_LOG.replace(b"DOM1: ", b"")  # Xen names no domain that has the input
    for log in (XEN_LOG, unnamed):
        assert list(whole_lines(log)) == GOOD.splitlines()
    assert max(map(len, by_xen(GOOD).splitlines())) == 127 + len("(XEN) DOM1: ")


def test_kvm_that_settled_is_measured():
    run = judge(KVM_HEAD + GOOD, Kvm(), PEER)
    assert run.identity.compiler == "gcc-12 (Debian 12.2.0-14) 12.2.0"
    assert run.version == "KVM, nVHE, Linux 6.1.0-50-arm64 (Debian 6.1.176-1)"


OF_XEN = (
    (b"rev2 (credit2)", b"(credit)", "asked for the scheduler credit2, its log reports credit"),
    (b"(XEN) Using scheduler", b"(XEN) Scheduler", "its log reports none"),
    (b"Std. Loglevel: All", b"Std. Loglevel: Errors and warnings", "did not read xen,xen-bootargs"),
    (b"(XEN) Freed", b"(XEN) Scrubbing Free RAM in background\r\n(XEN) Freed",
     "bootscrub=0 was not obeyed"),
    (b"Xen version", b"Hypervisor", "no line `Xen version`"))
OF_KVM = (
    (b"kvm [1]: Hyp mode", b"kvm [1]: VHE mode", "does not run at EL2 as nVHE"),
    (b"random: crng init done", b"random: not ready", "no line `random: crng init done`"),
    (b"] kvm_init: settled", b"] kvm_init: started", "no line `kvm_init: settled`"),
    (b"16.330000", b"16.320000", "began 2.99186 s after the random pool was ready, not 3 s"),
    (b"[   16.330000] ", b"", "no line `kvm_init: settled`"),
    (b"13.328145", b"17.000000", "began -0.67 s after the random pool was ready, not 3 s"),
    (b"GICv2", b"GICv3", "its VM had no GICv2"),
    (b"kvm_init: Linux 6.1.0", b"kvm_init: Linux 6.2.0", "its VM had no GICv2"),
    (b"Linux version", b"Kernel", "no line `Linux version`"))


@pytest.mark.parametrize("system, log, change, says", [
    *((Xen("credit2"), XEN_LOG, change, says) for *change, says in OF_XEN),
    *((Kvm(), KVM_HEAD + GOOD, change, says) for *change, says in OF_KVM)])
def test_a_system_that_ran_otherwise_is_refused(system, log, change, says):
    assert change[0] in log
    with pytest.raises(NotMeasured, match=says):
        judge(log.replace(*change), system, PEER)


def test_kvm_of_a_gicv3_machine_wants_that():
    gicv3 = KVM_HEAD.replace(b"GICv2", b"GICv3") + printed(contents(start={"gic": 3}))
    assert judge(gicv3, Kvm(), PEER_V3).probe.start["gic"] == 3
    with pytest.raises(NotMeasured, match="no GICv3"):
        judge(KVM_HEAD + GOOD, Kvm(), PEER_V3)
    assert Kvm().unfit(Peer(Tree(HOME), "virt-a15")) == "KVM has no 32-bit hosts"


def test_our_own_log_must_be_of_that_board_and_configuration():
    log = log_of(sample_run()) + GOOD
    board = "virt-a72"
    assert judge(log, Hypbench("native"), Peer(Tree(HOME), board)).probe.figures
    with pytest.raises(NotMeasured, match="the hypervisor ran virt-a72 native"):
        judge(log, Hypbench("trapped"), PEER)
    with pytest.raises(NotMeasured, match="no run record"):
        judge(GOOD, Hypbench("native"), PEER)


def test_machine_is_the_boards_with_a_nanosecond_an_instruction():
    words = PEER.command(HOME / "x")
    assert "virt,virtualization=on,gic-version=2,dtb-randomness=off" in words
    assert "cortex-a72,cntfrq=1000000000" in words
    assert words[words.index("-icount") + 1].startswith("shift=0,sleep=off")
    assert words[words.index("-smp") + 1] == "1"
    assert "virt,gic-version=2,dtb-randomness=off" in without_el2(PEER.options())


FAKE = """#!{python}
import pathlib, sys
here = pathlib.Path(__file__)
count = here.with_suffix(".count")
number = len(count.read_bytes()) if count.exists() else 0
count.write_bytes(b"x" * (number + 1))
logs = sorted(here.parent.glob("log-*"))
sys.stdout.buffer.write(logs[min(number, len(logs) - 1)].read_bytes())
sys.stdout.flush()
{then}
"""


@dataclass(frozen=True)
class Fake:
    """A system whose QEMU prints these logs, one log a run."""

    logs: tuple[bytes, ...]
    then: str = ""
    key: str = "fake"
    reason: str = ""
    error: click.ClickException | None = field(default=None, compare=False)

    def unfit(self, peer) -> str:
        return self.reason

    def unfit_pair(self, peer) -> str:
        return "there are no VMs"

    def absent(self) -> dict[str, str]:
        return {}

    def prepare(self, peer, folder):
        if self.error:
            raise self.error
        program = folder / "qemu"
        program.write_text(FAKE.format(python=sys.executable, then=self.then))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        for number, log in enumerate(self.logs):
            (folder / f"log-{number}").write_bytes(log)
        return [str(program), "-kernel", str(program)]

    def check(self, log, peer) -> Identity:
        return Identity("fake", "a fake")


def test_one_that_idles_behind_the_probes_end_is_ended(tmp_path):
    run = measure(Fake((GOOD,), then="import time; time.sleep(300)"), PEER, tmp_path / "p", 60)
    assert run.probe.figures


ENDLESS = "import time; time.sleep(300)"


@pytest.mark.parametrize("logs, then, limit_s, says", [
    ((GOOD, printed(contents(timer_wfi={"max": 4711}))), "", 60, "two runs differ"),
    ((GOOD[:200],), ENDLESS, 1, "not at its end after 1 s"),
    ((b"",), "sys.exit('no such machine')", 60,
     "QEMU printed nothing but the error: no such machine"),
    ((b"\0Bao v2.0\r\n\0BAO ERROR: no GIC CPU id\r\n",), ENDLESS, 1,
     "its console ends with: .*BAO ERROR: no GIC CPU")])
def test_runs_that_give_no_number_are_refused(tmp_path, logs, then, limit_s, says):
    with pytest.raises(NotMeasured, match=says):
        measure(Fake(logs, then=then), PEER, tmp_path / "p", limit_s)


@pytest.fixture
def command(bench, monkeypatch):
    def run(*systems, words=()):
        monkeypatch.setattr(cli, "SYSTEMS", list(systems))
        monkeypatch.setattr(cli, "digest", lambda peer: f"of {peer.board}")
        bench.write("boards/virt-a72/board.mk",
                    "ISA := armv8\nGIC := gicv2\nQEMU := fake -M virt -cpu x\n")
        return bench("peers", "--board", "virt-a72", *words)
    return run


def test_what_cannot_be_had_is_a_line_and_the_others_are_measured(command, bench):
    offline = click.ClickException("the Debian archive cannot be reached from here\nW: much more\n"
                                   "without it: unpack that package")
    result = command(Fake((GOOD,), key="good"), Fake((GOOD,), key="gone", error=offline),
                     Fake((GOOD,), key="odd", reason="no 32-bit hosts"))
    assert result.exit_code == 0, result.output
    assert ("virt-a72: gone: not measured: the Debian archive cannot be reached from here; without"
            " it: unpack that package\n" in result.stderr)
    assert "virt-a72: odd: not measured: no 32-bit hosts" in result.stderr
    assert "much more" not in result.output
    table = figures_in((bench.root / "build/peers/table.md").read_text())
    assert table["virt-a72"][PATHS["sgi_self"]] == {"good": "107"}
    assert columns_in(bench.root / "build/peers/virt-a72")[0].facts[FACT] == "of virt-a72"


def test_nothing_measured_is_a_failure(command):
    assert command(Fake((GOOD[:200],))).exit_code == 1


def test_unknown_names_are_told_with_the_known_ones(command, bench):
    result = command(Fake((GOOD,)), words=("--system", "bao"))
    assert result.exit_code == 2
    assert "no system 'bao'; there are: fake" in result.output
    result = bench("peers", "--board", "rpi4")
    assert result.exit_code == 2
    assert "no board 'rpi4'; there are: virt-a72, virt-a72-gicv3, virt-a15" in result.output


def test_missing_probe_is_told_with_what_makes_it(bench):
    bench.write("boards/virt-a72/board.mk", "ISA := armv8\nGIC := gicv2\nQEMU := q -M v -cpu x\n")
    result = bench("peers", "--board", "virt-a72", "--system", "native")
    assert result.exit_code == 1
    assert "probe.bin is not built: `make qemu-image BOARD=virt-a72` makes it" in result.stderr


@pytest.mark.long
def test_page_has_every_machine_and_path():
    tables = figures_in((HOME / "docs/peers.md").read_text())
    assert set(tables) == set(cli.BOARDS)
    for board, table in tables.items():
        assert list(table) == list(PATHS.values())
        for name, title in PATHS.items():
            assert table[title] == {column.system: column.cell(name)
                                    for column in kept_columns(board)}


@pytest.mark.parametrize("board", cli.BOARDS)
def test_every_kept_run_is_whole_and_names_what_ran(board):
    columns = kept_columns(board)
    assert [column.system for column in columns[:2]] == ["hypbench", "native"]
    assert {"xen-credit", "xen-credit2"} <= {column.system for column in columns}
    for column in columns:
        assert {"version", "qemu", "options", "image_sha256", "date", FACT} <= set(column.facts)
        assert set(column.figures) - {EMPTY} | set(column.absent) == set(PATHS)
        assert str(HOME) not in column.facts["options"]


@pytest.mark.parametrize("damage, says", [
    (lambda folder: (folder / "fake.log.xz").write_bytes(packed(GOOD[:300])), "to its end"),
    (lambda folder: (folder / "fake.log.xz").write_bytes(packed(GOOD)[:-9]), "damaged xz"),
    (lambda folder: (folder / "fake.json").write_text("{}"), "lacks a member"),
    (lambda folder: (folder / "fake.log.xz").unlink(), "cannot read"),
])
def test_a_damaged_kept_run_gives_no_number(tmp_path, damage, says):
    data = {"label": "a fake", "facts": {}, "expected": asdict(EXPECTED), "absent": {}}
    assert keep(tmp_path, "fake", data, GOOD).figures["sgi_self"].p50 == 107
    damage(tmp_path)
    with pytest.raises(click.ClickException, match=says):
        columns_in(tmp_path)


def two_vms(first: dict, second: dict, **changes) -> bytes:
    return (printed(lines_of_vm("a", first, **changes))
            + printed(lines_of_vm("b", second, **changes)))


def turns(ticks: int, count: int = 30) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the stamps of VMs that take turns of 1000 ticks, and need `ticks` for a switch. Each
    VM also meets an interrupt of 50 ticks within its turn."""
    vms: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    for turn in range(2 * count):
        begin = 1000 + turn * (1000 + ticks)
        vms[turn % 2].append((begin - 500, begin - 450))
        vms[turn % 2].append((begin, begin + 2 * ticks + 1000))
    return vms


PAIR = Expected(bits=64, gic=2, hz=1_000_000_000, samples=200)
YIELDS = {"yield": "refused", "yield_fp": "refused"}


def pair_log(ticks: int = 600, **changes) -> bytes:
    first, second = turns(ticks)
    wakes = [(at, at + 900) for at in range(5000, 120000, 4000)]
    return two_vms({"switch": first, "switch_fp": first, "wake": wakes},
                   {"switch": second, "switch_fp": second,
                    "wake": [(0, begin + 700) for begin, _ in wakes]}, absent=YIELDS, **changes)


@pytest.mark.parametrize("text, says", [
    (pair_log().replace(b'"vm":"b"', b'"vm":"c"'), "damaged line"),
    (printed(lines_of_vm("a", {"switch": [(1, 2)]})), "VM b printed nothing"),
    (pair_log(delay=4), "found delay 4"),
    (two_vms({}, {}), "printed no stamps of switch"),
    (two_vms({"switch": [(30, 20)]}, {"switch": [(1, 2)]}), "clock of switch runs backwards"),
    (two_vms({"switch": [(30, 40), (10, 20)]}, {"switch": [(1, 2)]}), "runs backwards"),
])
def test_stamps_that_cannot_be_believed_are_refused(text, says):
    with pytest.raises(NotMeasured, match=says):
        pair_result(text, PAIR)


def test_vms_that_seldom_change_have_no_figure():
    first, second = turns(600, 4)
    log = two_vms(dict.fromkeys(PAIR_PATHS, first), dict.fromkeys(PAIR_PATHS, second))
    assert pair_result(log, PAIR)[1].get("switch") == (
        "the core went from one VM to the other only 7 times")


def test_arguments_are_written_into_the_image_alone(tmp_path):
    image, patched = tmp_path / "image", tmp_path / "made"
    image.write_bytes(b"head" + MARKER + bytes(ROOM) + b"tail")
    with_arguments(image, "call=X call.x0=1", patched)
    with_arguments(patched, "delay=4", patched)
    assert patched.read_bytes() == (
        b"head" + MARKER + b"delay=4 call=X call.x0=1".ljust(ROOM, b"\0") + b"tail")


@pytest.mark.parametrize("content, arguments, says", [
    (b"packed", "delay=4", "has no probe in which"),
    (2 * (MARKER + bytes(ROOM)), "delay=4", "more than one probe"),
    (MARKER + bytes(ROOM), "x" * ROOM, "room for 239 bytes"),
])
def test_arguments_without_a_place_are_refused(tmp_path, content, arguments, says):
    (tmp_path / "image").write_bytes(content)
    with pytest.raises(NotMeasured, match=says):
        with_arguments(tmp_path / "image", arguments, tmp_path / "made")


PROBE = b"before" + MARKER + bytes(ROOM) + b"after"


@pytest.mark.parametrize("content, facts", [
    (b"x" * 9 + PROBE + b"y", {FACT: "today"}),
    (PROBE.replace(bytes(ROOM), b"delay=4".ljust(ROOM, b"\0")), {FACT: "today"}),
    (PROBE.replace(b"before", b"befare"), {}), (PROBE.replace(b"after", b"aft"), {}),
    (packed(PROBE), {}), (PROBE.replace(b"before", b"other") + PROBE, {FACT: "today"})])
def test_a_users_image_with_another_probe_is_of_no_known_windows(monkeypatch, tmp_path, capsys,
                                                                content, facts):
    monkeypatch.setattr(cli, "digest", lambda peer: "today")
    (tmp_path / "probe.bin").write_bytes(PROBE)
    (tmp_path / "bao.bin").write_bytes(content)
    peer = SimpleNamespace(board="virt-a72", probe=tmp_path / "probe.bin")
    system = Image("bao", tmp_path / "bao.bin")
    assert cli.windows_of(system, peer, ("qemu", "-kernel", str(system.image))) == facts
    assert ("are not identified" in capsys.readouterr().err) == (not facts)


def test_an_image_of_the_users_own_is_started_with_the_users_words(tmp_path):
    image = tmp_path / "bao.bin"
    image.write_bytes(b"")
    plain = Image("bao", image).prepare(PEER, tmp_path)
    assert plain[plain.index("-kernel") + 1] == str(image)
    words = Image("bao", image, options="-smp 2 -append 'a b'").prepare(PEER, tmp_path)
    assert (words.count("-smp"), words[words.index("-smp") + 1]) == (1, "2")
    assert words[words.index("-append") + 1] == "a b"
    assert not any("rr=record" in word for word in words)
    assert "-kernel" not in Image("bao", image, options=f"-bios {image}").prepare(PEER, tmp_path)


@pytest.mark.parametrize("word, expected", [
    (f"{HOME}/build/virt-a72/probe.bin", "build/virt-a72/probe.bin"),
    ("loader,file=/srv/x/probe.bin,addr=0x60000000", "loader,file=probe.bin,addr=0x60000000"),
    ("../tools/bao.bin", "bao.bin"), ("rrfile=/dev/null", "rrfile=/dev/null"),
    ("vfs mount initrd /;vfs run /boot.xscript", "vfs mount initrd /;vfs run /boot.xscript"),
    ("dtuart=/pl011@9000000", "dtuart=/pl011@9000000")])
def test_a_kept_command_has_no_folder_of_this_machine(word, expected):
    assert cli.without_folders(word, HOME) == expected


def test_version_of_an_image_is_the_first_line_that_has_one():
    identity = Image("bao-o2", HOME, build="release, -O2").check(
        b"\0Booting\r\n\0Bao Hypervisor v2.0.0-41\r\nGuest 3.1\r\n" + GOOD, PEER)
    assert (identity.label, identity.version, identity.build) == (
        "Bao v2.0.0-41, release", "Bao Hypervisor v2.0.0-41", "release, -O2")
