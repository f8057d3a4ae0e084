# SPDX-License-Identifier: Apache-2.0
"""Reference runs: the runs in the tree are good runs of the tree's benchmarks. Other tests cover
which runs are kept, how packed records are read, and the reference runs on the report's page."""

import re
from pathlib import Path
from zlib import crc32

import click
import pytest

from hypbench import gem5, path_lengths, reference
from hypbench.checks import measured
from hypbench.checks.measured import Measured
from hypbench.frame import lost_steps
from hypbench.path_lengths import Lengths
from hypbench.records import read_log
from hypbench.rules import check_rules
from hypbench.session import problems_of
from hypbench.tree import HOME, Tree, packed, read_records
from referencebench import BENCH, BOARD
from reportlogs import PROGRAMS, gem5_log, plan_text, report_log

TREE = Tree()
MOST = 2_000_000  # bytes of all reference runs


def faults_of(tree: Tree, path: Path) -> list[str]:
    """Return the problems of a run's kept records: damage, broken rules, changed sources."""
    log = read_log(read_records(path))
    problems = problems_of(log, gem5.PLATFORM)
    try:
        board, plan = reference.board_and_plan_of(tree, log, path)
    except click.ClickException as error:
        return [*problems, error.message]
    if tree.reference(board, plan) != path:
        problems.append(f"its records are of {board}, plan {plan}")
    problems += [f"lost: {text}" for text in lost_steps(log, tree.plan(plan))]
    return problems + [f"made before {name} changed: make reference BOARD={board}"
                       for name in changed_sources(tree, board, plan)]


def changed_sources(tree: Tree, board: str, plan: str) -> list[str]:
    """Return the sources that have changed since the kept records were made."""
    digests = reference.digests_path(tree.reference(board, plan))
    lines = digests.read_text().splitlines() if digests.is_file() else []
    before = {path: value for value, path in (line.split(maxsplit=1) for line in lines)}
    now = reference.digests(tree, board, plan)
    return sorted(path for path in before.keys() | now if before.get(path) != now.get(path))


# --- the runs in the tree ---

@pytest.mark.parametrize("path", TREE.references(), ids=lambda path: f"{path.parts[-2:]}")
def test_the_kept_records_are_good_and_of_the_trees_benchmarks(path):
    assert faults_of(TREE, path) == []


def test_the_kept_boards_have_all_plans_and_are_small():
    paths = TREE.references()
    for board in {path.parent.name for path in paths}:
        assert all(TREE.reference(board, plan) in paths
                   for plan in reference.plans_of(TREE, board)), board
    assert sum(path.stat().st_size for path in paths) <= MOST


def test_the_page_about_them_is_made_from_their_run_records():
    assert (HOME / "reference" / "README.md").read_text() == reference.readme(TREE)


def medians(plan: str) -> dict[tuple[str, str], str]:
    """Return medians in ns of one operation, by path and configuration."""
    log = read_log(read_records(TREE.reference(BOARD, plan)))
    assert log.run["hz"] == 10**9
    return {(f"{record['bench']} {record['variant']}", record["config"]):
            f"{record['p50'] / record['batch']:.0f}" for record in log.of_kind("bench")}


def test_colours_keep_a_load_out_of_a_working_set_and_cost_walks():
    log = read_log(read_records(TREE.reference(BOARD, "colouring")))
    p50s = {(record["variant"], record["config"]): record["p50"]
            for record in log.of_kind("bench")}
    for load in ("read", "write"):
        assert p50s["256K", f"4K-{load}"] > 4 * p50s["256K", "4K"]
        assert p50s["256K", f"coloured-{load}"] < 1.1 * p50s["256K", "coloured"]
    assert p50s["2048p", "4K"] > 2 * p50s["2048p", "2M"]


# --- the expected relations, from studies on silicon and from the model's parts ---

def ratio(log, path: str, config: str, base: str) -> float:
    means = {record["config"]: record["mean"] for record in log.of_kind("bench")
             if f"{record['bench']} {record['variant']}" == path}
    return means[config] / means[base]


def refills(log, variant: str) -> float:
    return next(event["sum"] / record["n"] / record["batch"] for record in log.of_kind("bench")
                if (record["bench"], record["variant"], record["config"])
                == ("tlb_chase", variant, "4K-4K")
                for event in record["events"] if event["name"] == "l2d_tlb_refill")


@pytest.mark.parametrize("board", sorted({path.parent.name for path in TREE.references()}))
def test_two_stages_cost_what_studies_found(board):
    """Study S1 found 2.24 and 1.01; a prototype in gem5 found 1.79."""
    log = read_log(read_records(TREE.reference(board, "tlb")))
    for random in ("tlb_chase random-65536p", "lat_mem_rd random-262144K"):
        assert 1.5 <= ratio(log, random, "4K-4K", "4K-off") <= 2.6
        assert ratio(log, random, "4K-1G", "4K-off") <= 1.25
    assert ratio(log, "lat_mem_rd seq-4096K", "4K-4K", "4K-off") <= 1.02
    assert ratio(log, "page_fault stage1", "4K-4K", "4K-off") <= 1.03
    assert refills(log, "random-65536p") == pytest.approx(1, abs=0.05)
    assert refills(log, "packed-4096p") <= 0.02


def test_the_paths_of_an_interrupt_cost_what_is_expected():
    log = read_log(read_records(TREE.reference(BOARD, "timed")))
    timer = "timer_wakeup busy-handler"
    assert ratio(log, timer, "direct", "native") <= 1.01
    timed = medians("timed")
    assert int(timed[timer, "trapped"]) - int(timed[timer, "direct"]) <= 60
    assert all(record["cycles_p50"] <= 90 for record in log.of_kind("bench")
               if record["variant"] == "null" and record["bench"] == "hvc"
               and "cold" not in record["config"])
    for path, config in timed:
        if path in (timer, "hvc null", "sgi_self handler") and "cold" in config:
            assert int(timed[path, config]) > int(timed[path, config.partition("-cold")[0]])


# --- keeping ---

@pytest.fixture
def tree(references, monkeypatch):
    monkeypatch.delenv("GEM5")
    return references


def faults(tree) -> list[str]:
    return faults_of(tree.tree, tree.reference_path)


def test_good_records_are_kept_with_what_they_were_made_of(tree):
    assert tree.keep().exit_code == 0
    assert read_records(tree.reference_path) == gem5_log("timed")
    assert path_lengths.read(tree.reference_path) == tree.counts
    assert faults(tree) == []
    sources = tree.reference_path.with_name("timed.sources").read_text()
    assert all(name in sources for name in ("scenario:timed", BENCH, "guest/measure/chase.h",
                                            "guest/arch/armv8/vectors.S"))
    assert "smc" not in sources and "armv7" not in sources
    about = (tree.root / "reference" / "README.md").read_text()
    assert "| `gem5-a72/timed.jsonl.xz` | 24.0.0.1 | `v0-3-gabc` |" in about and "dtlb=32" in about


@pytest.mark.parametrize("name", [BENCH, "guest/measure/sample.c", "guest/arch/armv8/vectors.S"])
def test_another_benchmark_is_noticed(tree, name):
    tree.keep()
    tree.write(name, "/* A sentence. */\nint one = 2;\n")
    assert faults(tree) == [f"made before {name} changed: make reference BOARD=gem5-a72"]


def test_a_load_that_a_plan_names_is_a_source(tree):
    for load in ("load_cpu", "load_irq"):
        tree.write(f"guest/loads/{load}.c", f'.beside = "{load}"\n')
    before = reference.sources_of(tree.tree, BOARD, "timed")
    tree.scenario("timed", plan_text("timed") + "config loud trapped beside=load_cpu\n")
    added = set(reference.sources_of(tree.tree, BOARD, "timed")) - set(before)
    assert [path.as_posix() for path in added] == ["guest/loads/load_cpu.c"]


def test_programs_and_what_runs_them_are_sources():
    sources = {path.as_posix() for path in reference.sources_of(TREE, BOARD, "paper-s3-timed")}
    programs = {f"guest/programs/{name}.c" for name in PROGRAMS}
    assert programs | {"guest/measure/program.c", "guest/kernel/libc.c",
                       "guest/programs/distribution.h"} <= sources
    assert "guest/programs/loops.c" not in sources


def test_comments_and_blanks_are_no_change(tree):
    tree.keep()
    tree.write(BENCH, "/* Another\n sentence. */\n\n\tint one\n = 1; // so\n")
    path = tree.root / "scenarios/timed.toml"
    path.write_text("# More\n" + path.read_text())
    assert faults(tree) == []


def test_without_linked_list_registers_another_plan_belongs_to_it(tree):
    tree.scenario("timed-sw", plan_text("timed"))
    tree.write("boards/gem5-a15/board.mk", "ISA := armv7\nCPU := cortex-a15\nGIC := gicv2\n"
               "GIC_ENDS := combined\nSIMULATOR := gem5\n")
    assert reference.plans_of(tree.tree, "gem5-a15") == ["tlb", "timed-sw"]
    assert reference.plans_of(tree.tree, BOARD) == ["tlb", "timed"]


def test_a_load_that_made_no_round_is_found():
    raw = read_records(TREE.reference(BOARD, "colouring"))
    [line] = [line for line in raw.splitlines() if b'"kind":"vm"' in line and b'"step":4' in line]
    body = re.sub(rb',"crc":"\w+"}$', b"", re.sub(rb'"rounds":\d+', b'"rounds":0', line))
    problems = check_rules(read_log(raw.replace(line, body + b',"crc":"%08x"}' % crc32(body))))
    assert any("made no round of load_mem_read" in str(problem) for problem in problems)


# --- the report ---

@pytest.fixture
def report(tree, monkeypatch):
    """Return a board that QEMU plays, with some of its plans run, beside two reference runs."""
    monkeypatch.setattr("hypbench.html.page.library", str)
    for plan in ("default", "interrupts", "tlb-matrix"):
        tree.scenario(plan, plan_text(plan))
        path = tree.root / "build" / "virt-a72" / "report" / f"{plan}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(report_log(plan))
    tree.keep("tlb")
    tree.keep()
    tree.page = (tree.root / "build" / "report" / "index.html").read_text
    tree.show = lambda *words: tree("report", "--board", "virt-a72", "--no-run", *words)
    return tree


@pytest.mark.long
def test_a_reference_run_stands_beside_what_qemu_does_not_model(report):
    result = report.show()
    assert result.exit_code == 0, result.output
    page = report.page().replace("\u00a0", " ")
    heading = "gem5-a72 (armv8, GICv3; reference run: gem5 24.0.0.1, build v0-3-gabc)"
    assert (f"{heading}: times of a model, from reference/. With GEM5= the scenarios run anew."
            in page)
    assert f'<option value="gem5-a72">{heading}</option>' in page
    assert 'id="fig-tlb-chase-4K-gem5-a72"' in page and 'id="fig-phases-timer-gem5-a72"' in page
    assert "not modelled here" in page and "gem5-a72: no records of" not in page


@pytest.mark.long
def test_what_is_not_kept_is_said_and_without_any_run_there_is_no_model(report):
    report.reference_path.unlink()
    assert report.show().exit_code == 0
    assert "Without: timed." in report.page().replace("\u00a0", " ")
    for path in report.tree.references():
        path.unlink()
    assert report.show().exit_code == 0
    assert "gem5-a72" not in report.page()


def move(report, path: str = "hvc null") -> Lengths:
    lengths = Lengths("a run", "12.2.0", {"trapped": {path: 100}}, {"trapped": {path: 103}})
    path_lengths.write(report.reference_path, lengths)
    return lengths


@pytest.mark.long
def test_a_time_of_a_path_that_has_moved_is_not_on_the_page(report):
    assert report.show().exit_code == 0
    link = "#row/gem5-a72/timed/hvc/null/trapped"
    assert link in report.page()
    move(report)
    assert report.show().exit_code == 0
    assert link not in report.page() and "#row/gem5-a72/timed/hvc/null/direct" in report.page()
    assert ("hvc null (trapped): path changed since, 100 instructions then, 103 now; its times are"
            " not shown") in report.page()


def test_a_document_has_no_time_of_a_path_that_has_moved(tree):
    tree.keep()
    figures = Measured(tree.tree)
    assert figures.time("timed", "hvc null", "trapped") == str(
        figures.ns("timed", "hvc null", "trapped"))
    assert figures.stands("timed")
    move(tree)
    assert figures.time("timed", "hvc null", "trapped") == "path changed since"
    assert figures.time("timed", "hvc null", "direct").isdigit()
    assert not figures.stands("timed")


def test_a_time_of_an_uncommitted_build_says_so(tree):
    tree.keep()
    assert Measured(tree.tree).build("timed") == "v0-3-gabc"
    assert Measured(tree.tree).dirty("timed") == ""
    tree.reference_path.write_bytes(packed(gem5_log("timed", build="abc-dirty")))
    measured.build_of.cache_clear()
    assert Measured(tree.tree).build("timed") == "abc-dirty"
    assert Measured(tree.tree).dirty("timed") == (
        "Every time is of build `abc-dirty`, which has changes that no commit has.")


@pytest.mark.long
def test_a_damaged_reference_run_is_told(report):
    report.reference_path.write_bytes(packed(gem5_log("timed")[:9000]))
    result = report.show()
    assert result.exit_code == 1 and "gem5-a72 timed: no end record" in result.output
    assert "timed: no end record" in report.page()


@pytest.mark.long
def test_with_gem5_it_is_run_anew(report, monkeypatch):
    for path in (report.root / "scenarios").iterdir():
        if path.name != "timed.toml":
            path.unlink()
    monkeypatch.setenv("GEM5", str(report.gem5))
    report.set_gem5(gem5_log("timed", build="anew"))
    result = report("report", "--board", BOARD)
    assert result.exit_code == 0, result.output
    assert "gem5-a72 timed: " in result.stderr and "ok" in result.stderr
    page = report.page()
    assert "gem5-a72 (armv8, GICv3; gem5 24.0.0.1)" in page and "; reference run" not in page
    assert "<td>anew</td>" in page
    again = report("report", "--board", BOARD)
    assert "1 of 1 runs are up to date" in again.stderr
    monkeypatch.setenv("GEM5_MACHINE", "dtlb=64")
    assert "0 of 1 runs are up to date" in report("report", "--board", BOARD).stderr
