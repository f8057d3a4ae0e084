# SPDX-License-Identifier: Apache-2.0
"""The commands, on a fake QEMU: files, tables, exit status, one readable line an error."""

import csv
import re

import pytest
from click.testing import CliRunner

from workbench import PLAN
from hypbench import __version__
from hypbench.cli import main
from hypbench.plan import read_plan
from hypbench.plan_binary import VERSION, pack
from hypbench.plan_language import parse, text_of
from hypbench.scenario_text import toml_of
from hypbench.tree import HOME, Tree
from logmaker import end_record, frame, log_of, run_record, sample_run, step_head

LOG = log_of(sample_run())
SECTION = pack(parse(PLAN))
HEADER = "board,config,bench,variant,unit,clock,n,min,p50,p90,p99,max,mean,stddev,cold"


def damaged(at: int) -> bytes:
    return SECTION[:at] + bytes([SECTION[at] ^ 3]) + SECTION[at + 1:]


def table_row(output: str, *words: str) -> list[str]:
    """The cells of the one row whose first cells are these words."""
    rows = [[cell.strip() for cell in line.strip().strip("│┃").split("│")]
            for line in output.splitlines()]
    found = [row for row in rows if row[:len(words)] == list(words)]
    assert len(found) == 1, output
    return found[0]


def failed(result, says: str, status: int = 1) -> None:
    assert result.exit_code == status, result.output
    assert says in result.output
    assert "Traceback" not in result.output


VM = "vm bench image=bench cores=0 prio=1\n"  # what a plan without vm lines means


def test_run_writes_its_files(bench):
    result = bench.run("--scenario", "short")
    assert result.exit_code == 0, result.output
    assert (bench.out / "console.log").read_bytes() == LOG
    assert (bench.out / "records.jsonl").read_bytes() == LOG.replace(b"\r", b"")
    assert (bench.out / "summary.csv").read_text().splitlines()[0] == HEADER
    assert "step" not in result.stderr.partition("records: ")[0]  # piped: no progress
    image = (bench.out / "hypbench-run.elf").read_bytes()
    assert text_of(read_plan(image)).endswith(f"bench hvc\n{VM}platform qemu-icount\n")


def test_run_twice_gives_the_same_bytes(bench):
    names = ("records.jsonl", "summary.csv", "console.log")
    first = bench.run(), [(bench.out / name).read_bytes() for name in names]
    second = bench.run("--out", str(bench.root / "elsewhere"))
    assert first[0].stdout == second.stdout
    assert first[1] == [(bench.root / "elsewhere" / name).read_bytes() for name in names]


def test_run_pools_the_passes(bench):
    result = bench.run("--quiet", "--table", "long")
    assert result.stderr == ""
    assert "1 tick = 1 instruction" in result.output
    assert table_row(result.output, "hvc", "null", "direct") == [
        "hvc", "null", "direct", "2000", "99", "99", "608", "608", "", "615", ""]
    assert table_row(result.output, "irq", "ppi", "trapped")[5:9] == ["50", "60", "60", "+2"]
    rows = list(csv.DictReader((bench.out / "summary.csv").open()))
    row = next(row for row in rows if (row["bench"], row["config"]) == ("irq", "trapped"))
    assert (row["n"], row["p50"], row["mean"], row["stddev"]) == ("400", "50", "55.000", "5.000")


def test_icount_shows_walk_references_instead_of_latencies(bench):
    assert "Not modelled here: tlb_chase." in bench.run().output
    result = bench.run("--table", "long")
    assert table_row(result.output, "tlb_chase", "trapped")[2:] == ["not modelled here", "3", "2",
                                                                   "11"]
    rows = list(csv.DictReader((bench.out / "summary.csv").open()))
    walks = [row for row in rows if row["bench"] == "tlb_chase"]
    assert len(walks) == 9 and all(row["n"] == "200" and row["p50"] == "" for row in walks)


def test_host_clock_says_whether_the_chase_misses(bench):
    bench.set_qemu(log_of(sample_run("qemu-host")))
    result = bench.run("--clock", "host")
    assert result.exit_code == 0, result.output
    assert "latencies mean nothing" in result.output
    assert ("tlb_chase trapped, 65536 pages: random (1998) is dearer than packed (998):"
            " the chase is seen") in result.output
    assert "two stages (1698) is dearer than one stage (1398)" in result.output
    assert " 64 pages" not in result.output
    assert "not modelled here" not in result.output


def test_skip_is_shown_with_its_reason(bench):
    assert "2 skipped: no hypercall without a hypervisor" in bench.run().output
    assert "skipped: hvc native: no hypercall without a hypervisor (x2)" in bench.run(
        "--table", "long").output
    assert "hvc,native" not in (bench.out / "summary.csv").read_text()


def test_what_a_guest_refuses_is_shown_with_its_reason(bench):
    head = step_head(0, 0, "native", "hvx")
    bench.set_qemu(log_of([
        run_record(1, configs=("native",), order="once"),
        head | {"kind": "error", "where": "guest", "what": "no benchmark 'hvx'; valid: hvc"},
        head | {"kind": "step", "steps": 1, "outcome": "refused", "ticks": 10, "smc": 0},
        end_record(4, errors=1, status="failed")]))
    failed(bench.run(), "ERROR: hvx native: guest: no benchmark 'hvx'; valid: hvc")


@pytest.mark.parametrize("then, status, says", [
    ("sys.exit(1)", 1, "QEMU ended with status 1"),
    ("sys.exit(2)", 2, "QEMU ended with status 2"),
    ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", 1, "QEMU was ended by signal 11"),
    ("print('qemu: no such machine', file=sys.stderr); sys.exit(1)", 1, "no such machine"),
])
def test_qemu_that_fails(bench, then, status, says):
    bench.set_qemu(LOG, then)
    failed(bench.run(), says, status)


def test_qemu_that_dies_early(bench):
    bench.set_qemu(b"starting\r\n" + LOG[:3000], "sys.exit(0)")
    result = bench.run()
    failed(result, "no end record")
    assert "console: starting" in result.output and "is cut" in result.output
    assert (bench.out / "records.jsonl").read_bytes().count(b"\n") > 2


@pytest.mark.parametrize("then", [
    "import time; time.sleep(60)",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"])
def test_time_limit_ends_qemu(bench, monkeypatch, then):
    monkeypatch.setattr("hypbench.qemu.GRACE_S", 0.2)
    bench.set_qemu(LOG[:3000], then)
    failed(bench.run("--timeout", "1"), "time limit: QEMU was ended after 1 s")


def test_a_machine_that_stops_behind_its_end_record_is_ended(bench, monkeypatch):
    monkeypatch.setattr("hypbench.qemu.END_GRACE_S", 0.2)
    bench.set_qemu(LOG, "import time; time.sleep(60)")
    failed(bench.run("--timeout", "30"), "QEMU did not end after the end record")
    assert (bench.out / "records.jsonl").read_bytes() == LOG.replace(b"\r", b"")


def test_damaged_log_fails_the_run_and_keeps_the_good(bench):
    lines = LOG.splitlines(keepends=True)
    bench.set_qemu(b"".join([*lines[:4], lines[4].replace(b"hvc", b"hvd"), *lines[5:]]))
    failed(bench.run(), "line 5: record 4 is garbled")
    assert (bench.out / "records.jsonl").read_bytes().count(b"\n") == len(lines) - 1


def test_panic_is_shown(bench):
    bench.set_qemu(b"panic: hyp/run/main.c:10: counter stands still\r\n", "sys.exit(2)")
    failed(bench.run(), "console: panic: hyp/run/main.c:10: counter stands still", 2)


def test_unknown_names_list_the_valid_ones(bench):
    failed(bench("run", "--board", "rpi"), "no board 'rpi'; there are: silicon, virt-a72", 2)
    failed(bench("run", "--board", "silicon"), "QEMU has no board 'silicon'; it has: virt-a72", 2)
    failed(bench.run("--scenario", "long"), "no scenario 'long'; there are: short", 2)
    failed(bench.run("--scenario", "shrot"), "no scenario 'shrot', nearest 'short'; there are:", 2)


def test_a_plan_that_names_what_is_not_there_starts_nothing(bench):
    bench.write("scenarios/mine.toml", "[[bench]]\nname = \"hvc\"\n[[bench]]\nname = \"hvx\"\n")
    bench.qemu.unlink()
    for result in (bench.run("--scenario", "mine"), bench("check-scenario", "mine")):
        failed(result, "scenarios/mine.toml:3: no benchmark 'hvx', nearest 'hvc'; valid: cntp_ac",
               2)


@pytest.mark.parametrize("word", Tree().scenarios())
def test_the_scenarios_there_are_name_what_is_there(bench, word):
    result = bench("check-scenario", str(Tree().scenario_files()[word]))
    assert result.exit_code == 0, result.output


def test_what_is_not_there_is_named_with_its_remedy(bench):
    (bench.out / "hypbench.elf").unlink()
    failed(bench.run(), "`make image BOARD=virt-a72` makes it")
    bench.write_image(PLAN)
    bench.qemu.unlink()
    failed(bench.run(), "`make setup` installs it")


@pytest.mark.parametrize("image, says", [
    (b"\x7fELF" + bytes(100), "no plan section"),
    (2 * SECTION, "2 plan sections"), (SECTION[:-1], f"no whole plan section of version {VERSION}"),
    (SECTION[:-1] + b"\1", "no whole plan section"), (damaged(16), "no whole plan section")])
def test_patch_wants_one_plan_section(bench, image, says):
    path = bench.root / "image"
    path.write_bytes(image)
    failed(bench("patch", str(path), "--scenario", "short", "-o", str(path)), says)


def test_patch_changes_the_plan_and_nothing_else(bench):
    image = (bench.out / "hypbench.elf").read_bytes()
    out = bench.root / "patched"
    plan = bench.scenario("mine", "config native\nbench hvc\n")
    words = ("patch", str(bench.out / "hypbench.elf"), "--scenario", str(plan), "-o", str(out))
    for more, line in ((["--platform", "gem5"], "platform gem5"), ([], "platform silicon")):
        assert bench(*words, *more).exit_code == 0
        said = parse(f"name mine\norder abba\nconfig native\nbench hvc\n{VM}{line}\n")
        shown = bench("show-scenario", str(out)).output
        assert shown.startswith(f"# mine, for {line}\n") and shown.endswith(toml_of(said))
        assert out.read_bytes().replace(pack(said), pack(parse(PLAN))) == image


def test_check_reports_and_keeps_the_good(bench):
    lines = LOG.splitlines(keepends=True)
    path = bench.root / "log"
    path.write_bytes(LOG)
    assert bench("check", str(path)).exit_code == 0
    path.write_bytes(b"".join([*lines[:4], *lines[5:]]))
    failed(bench("check", str(path), "-o", str(bench.root / "good")), "record 4 is missing")
    assert len((bench.root / "good").read_bytes().splitlines()) == len(lines) - 1
    path.write_bytes(frame(0, {"kind": "run"}))
    failed(bench("check", str(path)), '"hz" is a required property')
    failed(bench("check", str(bench.root / "no-such")), "cannot read")


def test_show_prints_what_the_run_printed(bench):
    result = bench.run("--quiet", "--table", "long")
    again = bench("show", str(bench.out / "records.jsonl"), "--table", "long")
    assert again.exit_code == 0 and again.output == result.output
    (bench.out / "records.jsonl").write_bytes(LOG[:3000])
    failed(bench("show", str(bench.out / "records.jsonl")), "`hypbench check")
    (bench.out / "records.jsonl").write_bytes(b"")
    failed(bench("show", str(bench.out / "records.jsonl")), "has no run record")


def test_run_sets_configurations_side_by_side(bench):
    result = bench.run("--scenario", "short")
    assert result.exit_code == 0, result.output
    assert table_row(result.output, "hvc", "null")[2:] == ["–", "99 ≤608", "100 ≤618"]
    assert table_row(result.output, "irq", "ppi")[2:] == [
        "48 ≤58", "49 +1 ≤59", "50 +2 ≤60"]
    whole = bench.run("--table", "long").output
    assert [table_row(whole, "irq", "ppi", config)[-1] for config in ("native", "trapped")] == [
        "48 to 58", "50 to 60"]
    assert "Address translation" in whole and "Address translation" not in result.output
    failed(bench.run("--table", "wide"), "'wide' is not one of 'short', 'long'", 2)


def test_run_ends_with_its_files_its_time_and_the_next_command(bench, monkeypatch):
    monkeypatch.chdir(bench.root)
    lines = bench.run().stderr.splitlines()[-4:]
    assert lines[0] == "records: build/virt-a72/records.jsonl, summary.csv, console.log"
    assert re.fullmatch(r"kept: runs/virt-a72/sample/\d{8}T\d{6}Z\.jsonl", lines[1])
    assert re.fullmatch(r"time: \d+\.\d s for 18 steps", lines[2])
    words = re.fullmatch(r"next: build/venv/bin/hypbench (.*)  # every table", lines[3])[1].split()
    assert bench(*words).output == bench.run("--quiet", "--table", "long").output
    monkeypatch.chdir(bench.root / "scenarios")
    assert f"records: {bench.out}/records.jsonl," in bench.run("--out", str(bench.out)).stderr


def test_the_version_is_the_one_that_the_changelog_begins_with():
    heading = (HOME / "CHANGELOG.md").read_text().split("\n## ")[1].split()[0]
    base, development, _ = __version__.partition(".dev")
    assert heading == ("Unreleased" if development else base)
    result = CliRunner().invoke(main, ["--version"])
    assert result.output == f"hypbench {__version__}\n"
