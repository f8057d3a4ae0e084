# SPDX-License-Identifier: Apache-2.0
"""The report: what it makes of records, good, cut and missing ones, and when it runs a plan."""

import json
import re
import sys
from functools import cache

import pytest

from hypbench.analysis.boot import boot_rows
from hypbench.analysis.phases import waterfalls
from hypbench.analysis.programs import ProgramRow
from hypbench.analysis.tlb import slowdown, tlb_cells, walk_fit, working_sets
from hypbench.axes import axes
from hypbench.html import data, figures, runs, style, units
from hypbench.html.blocks import Cell, Section, Table
from hypbench.html.data import Board, Source, lost_steps
from hypbench.html.page import PARTS
from hypbench.html.parts import conditions, interrupts, memory, peers, studies, traps
from hypbench.html.parts.common import published
from hypbench.records import read_log
from hypbench.rules import check_rules
from logmaker import log_of
from reportlogs import (PAGES, PHASES, bodies_of, gem5_log, plan_text, plans,
                        report_log)


@cache
def source(plan: str, platform: str = "qemu-icount", raw: bytes | None = None) -> Source:
    log = read_log(report_log(plan, platform) if raw is None else raw)
    problems = [str(problem) for problem in log.problems + check_rules(log)]
    return Source(plan, log, problems, lost_steps(log, plan_text(plan)))


def board(platform: str = "qemu-icount", *names: str) -> Board:
    return Board("virt-a72", {name: source(name, platform) for name in names or plans(platform)})


def changed(plan: str, change) -> bytes:
    """The plan's log, with change(body) applied to each record's body."""
    bodies = bodies_of(plan)
    for body in bodies:
        change(body)
    return log_of(bodies)


def table(section: Section, ident: str) -> list[dict[str, str]]:
    """A table's rows by the names of its columns; a name that comes again gets a 2."""
    found = next(block for block in section.blocks if isinstance(block, Table)
                 and block.id == ident)
    names = [name for name, _ in found.columns()]
    return [{name: cell.text if isinstance(cell, Cell) else cell for name, cell in zip(names, row)}
            for row in found.rows]


def test_made_up_logs_are_good():
    for plan in plans("qemu-icount"):
        found = source(plan)
        assert (found.problems, found.lost) == ([], []), plan
    assert tuple(plans("qemu-icount")) == runs.PLANS


# Interrupts

def timers(found: Source) -> dict:
    return {fall.config: fall for fall in waterfalls(found.log) if fall.source == "timer"}


def test_phases_are_in_order_and_sum_to_the_total():
    falls = timers(source("interrupts"))
    assert list(falls) == ["native-probes", "direct-probes", "trapped-probes", "trapped-sw-probes"]
    trapped, native = falls["trapped-probes"], falls["native-probes"]
    assert [(phase.name, phase.mean) for phase in trapped.phases] == [
        (name, float(ticks)) for name, ticks in PHASES.items()]
    assert [phase.name for phase in native.phases] == ["el1-vector", "handler", "eoi", "task"]
    assert trapped.adds_up and trapped.sum == trapped.total.pool.mean == sum(PHASES.values())
    assert trapped.without_probes.pool.mean == trapped.total.pool.mean - 24
    assert trapped.probe_costs == {"probe-el1": 3, "probe-el2": 4}
    assert native.probe_costs == {"probe-el1": 3}


def test_a_lost_phase_shows_in_the_sum():
    raw = changed("interrupts", lambda body: body.update(
        variant="lost") if body.get("variant") == "timer-injected" else None)
    found = source("interrupts", raw=raw)
    fall = timers(found)["trapped-probes"]
    assert not fall.adds_up and fall.sum == fall.total.pool.mean - PHASES["injected"]
    made = PARTS[2].section([Board("b", {"interrupts": found})])
    rows = {row["configuration"]: row for row in table(made, "tab-phases-timer")}
    assert rows["trapped-probes"]["sums up"] == "off by −18\u00a0instr"
    assert rows["native-probes"]["sums up"] == "yes"


def test_a_lost_total_leaves_the_phases():
    raw = changed("interrupts", lambda body: body.update(
        variant="lost") if body.get("variant") == "timer-total" else None)
    found = source("interrupts", raw=raw)
    fall = timers(found)["trapped-probes"]
    assert not fall.adds_up and fall.sum == sum(PHASES.values()) and fall.probes_cost is None
    rows = table(PARTS[2].section([Board("b", {"interrupts": found})]), "tab-phases-timer")
    assert {(row["sums up"], row["total, stamped"]) for row in rows} == {("no total", "–")}


def test_storm_curves():
    found = data.storm(source("storm").log)
    assert sorted(found["trapped"]) == [1, 2, 4, 8, 16, 32]
    points = found["trapped"][8]
    assert [at for at, _ in points] == list(range(1, 9))
    assert points[4][1] - points[3][1] == 375  # the fifth waits for a refill


def test_histogram_keeps_every_sample_and_the_shape():
    row = source("default").row("timer_wakeup", "busy-handler", "trapped")
    values = data.histogram(row)
    assert values[0] == (89, 91) and values[-1] == (98, 1)
    assert sum(count for _, count in values) == row.pool.n
    late = source("sched").row("timer_wakeup", "busy-handler", "slice")
    assert data.histogram(late)[-1][0] == late.pool.high


@pytest.mark.parametrize("log", [False, True])
def test_rebinning_loses_nothing(log):
    values = [(1, 5), (7, 1), (90, 3), (4999, 2), (5000, 4)]
    bins = figures.rebin(values, 1, 5001, log)
    assert sum(count for _, count in bins) == 15
    assert len(bins) == figures.BINS + 1 and bins[-1][1] == 0
    assert bins[0][1] == (5 if log else 6) and bins[-2][1] == 6


# Switches

def test_switches_are_found_by_the_axes_not_the_names():
    found = {data.switch_label(row): row for row in data.switched(source("traps"))}
    assert list(found) == ["frame=full", "stats=on", "trace=on", "wfi=trapped"]
    assert all(row.base == "trapped" for row in data.switched(source("traps")))
    labels = {(row.base, data.switch_label(row)) for row in data.switched(source("storm"))}
    assert labels == {("trapped", "eoi=split"), ("trapped-sw", "eoi=split"), ("trapped", "lr=sw"),
                      ("trapped-split", "lr=sw")}
    assert {data.switch_label(row) for row in data.switched(source("sched"))} == {
        "fp=lazy", "fp=eager"}
    assert {(row.base, data.switch_label(row)) for row in data.switched(source("timers"))
            if row.change} == {("trapped", "cntp=emulated")}


def test_switches_of_several_plans_are_in_one_table():
    rows = table(traps.section([board("qemu-icount", *traps.SWITCH_PLANS)]), "tab-switches")
    assert {row["switch"] for row in rows} >= {
        "frame=full", "stats=on", "wfi=trapped", "fp=lazy", "cntp=emulated"}


def test_a_mode_is_found_by_its_axes():
    plain = {"stage2": "4K", "irq": "direct", "fill": "eager"}
    made = Source("faults", read_log(b""))
    made.configs = {"native": {"stage2": "off", "irq": "direct"},
                    "lazy-4K": plain | {"fill": "lazy"}, "direct-4K": plain, "direct-2M": plain}
    assert made.config_of("direct") == "direct-4K" and made.config_of("native") == "native"
    assert made.config_of("trapped") == "trapped"  # there is none: no row will be found


def test_effects_of_a_switch():
    effects = {(data.switch_label(row), row.bench, row.variant): row.change
               for row in data.switched(source("traps"))}
    assert effects["frame=full", "hvc", "null"] == 26
    assert effects["wfi=trapped", "hvc", "null"] == 0
    assert effects["wfi=trapped", "wfi", "pending"] == 91


def test_states_keep_to_their_configuration():
    groups = data.state_groups(source("states").log)
    assert list(groups) == ["native", "trapped"]
    hvc = next(group for group in groups["trapped"] if group.label == "hvc null")
    assert hvc.values == {"warm": 41, "cold-caches": 41, "cold-tlb": 41}


# Memory

def test_walks_of_the_matrix():
    matrix = memory.by_grain(source("tlb-matrix"))
    assert len(matrix) == 12
    assert matrix["4K", "4K"].walk_refs == 15 and matrix["4K", "off"].walk_refs == 3
    assert matrix["1G", "1G"].walk_refs == (1 + 1) * (1 + 1) - 1


def test_measured_costs_and_their_fit():
    found = source("tlb-matrix", "silicon")
    matrix, cells = memory.by_grain(found), tlb_cells(found.log)
    assert matrix["4K", "4K"].cost == 15 and matrix["4K", "off"].cost == 3
    line = walk_fit(cells)
    assert (round(line.a, 6), round(line.b, 6)) == (0, 1)
    assert walk_fit([cell for cell in cells if cell.walk_refs == 3]) is None
    assert walk_fit([]) is None
    curve = working_sets(found.log, "tlb_chase")["4K-4K"]["random"]
    assert [size for size, _ in curve] == list(PAGES) and curve[-1][1] == 16


def test_slowdown_model():
    assert slowdown(2.24, 0.01) == pytest.approx(1.0124)
    assert slowdown(99, 0) == 1 and slowdown(2, 1) == 2


def test_boots():
    found = {boot.config: boot for boot in boot_rows(source("faults").log)}
    assert (found["lazy"].fill, found["lazy"].fault_mean, found["lazy"].faults) == ("lazy", 610, 37)
    assert found["trapped"].fault_mean is None


def test_icount_gives_no_latency_of_memory():
    made = PARTS[4].section([board()])
    assert not any(name in figure.id for figure in made.figures
                   for name in ("tlb-cost", "tlb-chase", "lat-mem-rd"))
    assert any("not modelled here" in getattr(block, "text", "") for block in made.blocks)
    silicon = PARTS[4].section([board("silicon")])
    ids = [figure.id for figure in silicon.figures]
    assert "fig-tlb-cost-virt-a72" in ids and "fig-tlb-chase-4K-virt-a72" in ids
    assert not any("not modelled here" in getattr(block, "text", "") for block in silicon.blocks)


# Programs

def test_split_of_a_slowdown():
    split = data.splits(source("programs").log)[0]
    per_run = (1 * 130 + 3 * 95 + 1 * 60)  # exits of 11 runs: 11, 33, 11
    assert (split.bench, split.exit_count, split.exit_time) == ("prog_options", 5, per_run)
    assert split.native == pytest.approx(1_000_000, rel=1e-5)
    assert split.vm - split.native == pytest.approx(3 * per_run, rel=1e-3)
    assert split.share == pytest.approx(1 / 3, rel=1e-3)


def test_no_slowdown_has_no_share():
    row = ProgramRow("p", "trapped", "trapped-stats", 100, 100, (), 1, None)
    assert row.exit_time == 0 and row.share is None
    assert "no slowdown" in style.to_svg(figures.split_bars([("p", row)], {}), "fig-x", "x")


def test_exits_of_both_passes_go_together():
    bodies = bodies_of("programs")
    again = [body | {"step": 99} for body in bodies if body["kind"] == "exits"]
    both = source("programs", raw=log_of(bodies[:-1] + again))
    one, two = (data.exits_by_step(found.log)["prog_options", "trapped-stats"]
                for found in (source("programs"), both))
    assert [(kind.kind, 2 * kind.n, 2 * kind.total) for kind in one] == [
        (kind.kind, kind.n, kind.total) for kind in two]


def test_a_wrong_checksum_shows():
    raw = changed("programs", lambda body: body.update(checksum=1) if (
        body.get("variant"), body.get("config"), body.get("bench")) == (
            "checksum", "trapped-stats", "prog_fluid") else None)
    found = source("programs", raw=raw)
    assert data.checksums(found.log)["prog_fluid"] is False
    rows = table(studies.section([Board("b", {"programs": found})]), "tab-s3")
    verdicts = {row["measured on"]: row["checksum"] for row in rows}
    assert verdicts["b: prog_fluid"] == "differs" and verdicts["b: prog_dedup"] == "equal"


# Their numbers

def test_studies_stand_beside_ours():
    rows = table(studies.section([board()]), "tab-s1")
    by_what = {row["what"]: (row, rows[at + 1]) for at, row in enumerate(rows) if row["what"]}
    theirs, ours = by_what["timer wake-up latency, max"]
    assert (theirs["native"], theirs["guest (ours: trapped)"]) == ("185\u00a0µs", "8939\u00a0µs")
    assert ours["native"] == "586\u00a0instr" and ours["guest to native"] == "×1.09"
    assert by_what["memory read, random"][1]["native"] == "not modelled here"
    assert by_what["page fault"][1]["guest to native"] == "×1.00"


def test_peers_of_the_same_isa_and_gic():
    v2 = board("qemu-icount", "default", "traps")
    v3 = Board("v3", {"default": source("default", raw=report_log("default", gic="v3"))})
    sgi = next(row for row in published("peers")["rows"] if row["id"] == "sgi")
    hypercall = next(row for row in published("peers")["rows"] if row["id"] == "hypercall")
    assert peers.theirs(v2, sgi)["bao"] == 808 and peers.theirs(v3, sgi)["bao"] == 777
    assert peers.only_gicv2(v3, hypercall) and not peers.only_gicv2(v2, hypercall)
    assert peers.added(v2, sgi).values == {peers.OURS: 160, "bao": 806, "xen": 1087, "kvm": 3416}
    assert peers.added(v2, hypercall).values[peers.OURS] == 41


def test_no_path_lengths_from_a_clock():
    made = peers.section([board("silicon", "default")])
    assert not made.figures and not any(block.kind == "table" and block.id == "tab-peers"
                                        for block in made.blocks)


# Numbers and looks

@pytest.mark.parametrize("value, text", [
    (0, "0"), (7, "7"), (1234, "1234"), (12345, "12\u202f345"), (2.25, "2.2"), (3.0, "3"),
    (-1234567, "−1\u202f234\u202f567")])
def test_numbers(value, text):
    assert units.number(value) == text


def test_numbers_carry_their_unit():
    icount, board_clock = units.Clock("qemu-icount", 62500000), units.Clock("silicon", 24000000)
    assert icount.show(41) == "41\u00a0instr" and icount.show(None) == "–"
    assert board_clock.show(24) == "24\u00a0ticks (1\u00a0µs)"
    assert icount.change(-3) == "−3\u00a0instr" and icount.change(0) == "±0\u00a0instr"
    assert units.counted(1, "exit") == "1\u00a0exit" and units.counted(2, "exit") == "2\u00a0exits"


def test_every_cell_of_numbers_has_a_unit():
    for part in PARTS:
        for block in part.section([board()]).blocks:
            for row in block.cells() if isinstance(block, Table) else []:
                for text, classes in row:
                    if "number" in classes and text not in ("–", "not modelled here"):
                        assert re.search(r"^×|\u00a0[a-zµ%]+\)?$", text), (block.id, text)


def test_a_mode_looks_the_same_everywhere():
    modes = [style.look_of(name) for name in ("native", "direct", "trapped", "trapped-sw")]
    assert len({look.colour for look in modes}) == len({look.hatch for look in modes}) == 4
    assert len({look.marker for look in modes}) == 4
    twin = style.look_of("trapped-sw-split")
    assert twin.colour == style.look_of("trapped-sw").colour
    assert twin.hatch != style.look_of("trapped-sw").hatch


def test_svg_is_the_same_twice_and_its_ids_are_its_own():
    def draw(name: str) -> str:
        falls = list(timers(source("interrupts")).values())
        return style.to_svg(figures.waterfall(falls, "instructions"), name, 'a "label" & more')
    assert draw("fig-a") == draw("fig-a")
    ids = set(re.findall(r' id="([^"]+)"', draw("fig-a")))
    assert ids and all(name.startswith("fig-a-") for name in ids)
    assert set(re.findall(r'(?:url\(#|href="#)([^")]+)', draw("fig-a"))) <= ids
    assert 'aria-label="a &quot;label&quot; &amp; more"' in draw("fig-a")
    assert "<text" in draw("fig-a") and "EL2 vector" in draw("fig-a")  # text, no outlines


# Damage

def test_what_a_cut_log_lost_is_named():
    whole = report_log("traps")
    cut = source("traps", raw=whole[:len(whole) * 2 // 3])
    assert any("no end record" in text for text in cut.problems)
    assert cut.lost == ["mmio_write: wfi",
                        "timer_wakeup: native, direct, trapped, full, stats, trace, wfi"]
    notice = conditions.losses([Board("b", {"traps": cut})], [])[0]
    assert notice.bad and "lost: mmio_write: wfi" in notice.items


@cache
def damaged(damage: str) -> Board:
    def one(plan: str) -> Source:
        raw = report_log(plan)
        return source(plan, raw={"cut": raw[:len(raw) // 2], "empty": b"",
                                 "garbled": raw.replace(b'"p50"', b'"p5O"')}[damage])
    names = plans("qemu-icount") if damage != "nothing" else []
    return Board("virt-a72", {name: one(name) for name in names})


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__.split(".")[-1])
@pytest.mark.parametrize("damage", ["cut", "empty", "garbled", "nothing"])
def test_every_part_bears_damage(part, damage):
    assert part.section([damaged(damage)]).blocks


def test_missing_plans_are_named():
    notice = conditions.losses([], ["storm", "sched"])[0]
    assert "storm, sched" in notice.text and not notice.bad


def test_every_axis_off_its_default_is_said():
    for axis, values in axes().items():
        if values and axis not in data.PRESET_AXES:
            assert conditions.besides({axis: values[-1]}) == f"{axis}={values[-1]}"
            assert conditions.besides({axis: values[0]}) == ""


# The command

# A QEMU that prints the log of the plan its image holds, and counts how often it was asked.
SELECTING = r"""#!{python}
import sys, pathlib
image = pathlib.Path(sys.argv[sys.argv.index("-kernel") + 1]).read_bytes()
here = pathlib.Path(__file__).parent
(here / "count").open("a").write("x")
name = "storm" if b'"plan":"storm"' in image else "default"
sys.stdout.buffer.write((here / name).read_bytes())
"""


@pytest.fixture
def tree(bench, undrawn):
    """The tree of conftest with two of the report's plans, and a QEMU that can run both."""
    for name in ("default", "storm"):
        bench.write(f"plans/{name}.plan", plan_text(name))
        bench.qemu.with_name(name).write_bytes(report_log(name))
    bench.qemu.write_text(SELECTING.format(python=sys.executable))
    bench.home = bench.root / "build" / "virt-a72" / "report"
    bench.count = lambda: len(bench.qemu.with_name("count").read_text())
    return bench


def change_image(tree) -> None:
    with (tree.out / "hypbench.elf").open("ab") as image:
        image.write(b"other code")


def page_of(tree) -> str:
    return (tree.root / "build" / "report" / "index.html").read_text()


def test_report_runs_what_is_missing_and_only_that(tree):
    first = tree("report")
    assert first.exit_code == 0, first.output
    assert tree.count() == 2 and "0 of 2 runs are up to date" in first.stderr
    assert (tree.home / "storm.jsonl").read_bytes() == report_log("storm")
    page = page_of(tree)
    again = tree("report")
    assert again.exit_code == 0 and tree.count() == 2 and page_of(tree) == page
    tree.write("plans/storm.plan", plan_text("storm") + "limit_ms 5\n")
    assert tree("report").exit_code == 0 and tree.count() == 3
    (tree.home / "default.jsonl").write_bytes(b"")
    assert tree("report").exit_code == 0 and tree.count() == 4
    change_image(tree)
    assert tree("report").exit_code == 0 and tree.count() == 6
    assert not list(tree.home.glob("*.run"))


def test_report_says_which_plans_the_tree_lacks(tree):
    assert "left out: traps, states" in tree("report").stderr
    assert "are not in plans/, so their parts are missing: traps, states" in page_of(tree)


def test_report_of_a_run_that_is_cut(tree):
    whole = report_log("storm")
    tree.qemu.with_name("storm").write_bytes(whole[:len(whole) // 2])
    result = tree("report")
    assert result.exit_code == 1 and "Traceback" not in result.output
    assert "virt-a72 storm: lost: irq_storm" in result.output
    page = page_of(tree)
    assert "virt-a72, plan storm: what follows shows what there is." in page
    assert "fig-storm-virt-a72" in page
    assert json.loads((tree.home / "storm.stamp").read_text())["problems"]
    tree.qemu.with_name("storm").write_bytes(whole)
    assert tree("report").exit_code == 0 and "what follows shows" not in page_of(tree)


def test_report_without_running(tree):
    result = tree("report", "--no-run", "--board", "virt-a72")
    assert result.exit_code == 1 and not tree.qemu.with_name("count").exists()
    assert "there are no records: it was not run" in page_of(tree)
    assert tree("report").exit_code == 0
    change_image(tree)
    late = tree("report", "--no-run", "--out", str(tree.root / "elsewhere"))
    assert late.exit_code == 0 and tree.count() == 2
    assert "of another image or plan" in (tree.root / "elsewhere" / "index.html").read_text()


def test_report_of_a_board_that_is_not_built(tree):
    (tree.out / "hypbench.elf").unlink()
    result = tree("report")
    assert result.exit_code == 1 and "`make image BOARD=virt-a72` makes it" in result.output
    assert tree("report", "--board", "rpi").exit_code == 2


def test_pictures_are_the_figures_of_the_page(tree):
    folder = tree.root / "pictures"
    assert tree("report", "--pictures", str(folder)).exit_code == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        f"{name}-virt-a72.svg" for name in ("exits", "histogram-timer-wakeup", "peers", "storm",
                                            "switches")]
    assert (folder / "storm-virt-a72.svg").read_text().startswith("<svg ")


def test_what_only_qemu_knew_stays_known(tree):
    with tree.qemu.open("a") as script:
        script.write("sys.stdout.flush()\nsys.exit(3)\n")
    assert tree("report").exit_code == 1 and "QEMU ended with status 3" in page_of(tree)
    assert tree("report", "--no-run").exit_code == 1
    assert "QEMU ended with status 3" in page_of(tree)


# A simulator of caches and TLBs

def simulated() -> Board:
    """A reference run: few plans, a tick is a nanosecond."""
    return Board("gem5-a72", {plan: Source(plan, read_log(gem5_log(plan)), kept=True)
                              for plan in ("tlb", "timed")})


@cache
def both(number: int) -> Section:
    return PARTS[number].section([board(), simulated()])


def test_study_s1_has_time_and_its_ratio_from_a_simulator():
    rows = table(both(1), "tab-s1")
    ours = {rows[at - 2]["what"]: row for at, row in enumerate(rows)
            if row["measured on"].startswith("gem5-a72")}
    assert list(ours) == ["page fault", "memory read, sequential", "memory read, random",
                          "timer wake-up latency, max", "timer wake-up latency, 95 % within"]
    assert all("reference run: gem5 24.0.0.1, build v0-3-gabc" in row["measured on"]
               for row in ours.values())
    random = ours["memory read, random"]
    assert (random["native"], random["direct"], random["guest (ours: trapped)"],
            random["guest to native"]) == ("4\u00a0ns", "16\u00a0ns", "–", "×4.00")
    late = ours["timer wake-up latency, max"]
    assert (late["native"], late["guest (ours: trapped)"]) == ("101\u00a0ns", "156\u00a0ns")
    icount = next(row for row in rows if row["measured on"] == "virt-a72"
                  and row["native"] == "not modelled here")
    assert icount["guest to native"] == "not modelled here"


def test_latency_over_the_working_set_by_the_grain_of_stage_2():
    made = both(4)
    figures_there = {figure.id: figure for figure in made.figures}
    assert {"fig-tlb-chase-4K-gem5-a72", "fig-tlb-chase-2M-gem5-a72",
            "fig-lat-mem-rd-4K-gem5-a72"} <= figures_there.keys()
    drawn = figures_there["fig-tlb-chase-4K-gem5-a72"]
    for text in ("native", "stage 2 4K", "stage 2 2M", "stage 2 1G", "L1 TLB", "L2 TLB", "L1D"):
        assert f">{text}</text>" in drawn.svg.replace("\n", ""), text
    assert "4K-lazy" not in drawn.svg and "ns a load" in drawn.svg


@pytest.mark.parametrize(("bench", "stage1", "expected"), [
    ("tlb_chase", "4K", {"L1 TLB": 32, "L2 TLB": 1024, "L1D": 512, "L2": 16384}),
    ("tlb_chase", "2M", {"L1 TLB": 16384, "L2 TLB": 524288, "L1D": 512, "L2": 16384}),
    ("lat_mem_rd", "4K", {"L1 TLB": 128, "L2 TLB": 4096, "L1D": 32, "L2": 1024})])
def test_marks_come_from_the_run_record(bench, stage1, expected):
    assert memory.marks_of(simulated().source("tlb"), bench, stage1) == expected
    assert memory.marks_of(source("tlb-matrix", "silicon"), bench, stage1) == {}
    assert memory.marks_of(Source("tlb", read_log(b"")), bench, stage1) == {}


def test_the_slowdown_model_with_the_measured_ratio():
    rows = {(row["r of"], row["configuration"]): row for row in table(both(4), "tab-model")}
    assert ("tlb_chase", "4K-lazy") not in rows
    row = rows["tlb_chase", "4K-4K"]
    assert (row["board"], row["against"], row["r"], row["m = 1.0\u00a0%"]) == (
        "gem5-a72", "4K-off", f"{16 / 4:.2f}", "×1.0300")


def test_an_interrupt_in_time_beside_its_instructions():
    made = both(2)
    assert "fig-time-timer-gem5-a72" in [figure.id for figure in made.figures]
    rows = [row for row in table(made, "tab-phase-times") if row["configuration"] == "trapped"]
    assert [row["phase"] for row in rows] == [figures.PHASE_LABELS[name] for name in PHASES]
    assert (rows[0]["instructions"], rows[0]["time"], rows[0]["ns an instruction"]) == (
        "4\u00a0instr", "4\u00a0ns", "1.0")


def test_the_board_of_the_same_gic_stands_beside_it_if_there_is_one():
    like = board()
    same = Board("virt-a72-gicv3", {name: Source(name, read_log(report_log(name, gic="v3")))
                                    for name in ("interrupts",)})
    other = Board("virt-a15", {"interrupts": Source("interrupts", read_log(
        report_log("interrupts", isa="armv7")))})
    ours = simulated()
    assert interrupts.counterpart(ours, [like, same, ours]) is same
    assert interrupts.counterpart(ours, [other, like, ours]) is like
    assert interrupts.counterpart(ours, [other, ours]) is None
    assert interrupts.counterpart(like, [like, ours]) is None


def test_phases_of_another_path_are_not_set_beside_each_other():
    def renamed(body):
        if body.get("variant") == "timer-injected":
            body["variant"] = "timer-inserted"
    odd = Board("virt-a72", {"interrupts": source("interrupts",
                                                  raw=changed("interrupts", renamed))})
    pairs = interrupts.phase_pairs(odd, simulated())
    assert [fall.config for fall, _ in pairs] == ["native-probes", "direct-probes"]


def test_what_a_reference_run_lacks_is_no_loss():
    for number in range(len(PARTS)):
        for block in both(number).blocks:
            assert "gem5-a72: no" not in getattr(block, "text", ""), block
    notices = conditions.losses([simulated()], [])
    assert [notice.bad for notice in notices] == [False]


def test_only_what_has_no_state_is_in_the_distributions():
    rows = [row for row in table(both(2), "tab-distributions") if row["board"] == "gem5-a72"]
    assert {row["configuration"] for row in rows} == {"native", "direct", "trapped"}


def test_axes_have_numbers_and_no_formulas():
    for made in (section for number in range(len(PARTS)) for section in [both(number)]):
        assert not [figure.id for figure in made.figures if "mathdefault" in figure.svg]
