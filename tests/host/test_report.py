# SPDX-License-Identifier: Apache-2.0
"""The report: what it makes of records, good, cut and missing ones, and when it runs a plan."""

import json
import re
import sys

import pytest

from hypbench.analysis import conditions, interrupts, memory, studies, switches
from hypbench.analysis.interrupts import storm_rows, waterfalls
from hypbench.analysis.memory import boot_rows
from hypbench.analysis.programs import exits_by_step
from hypbench.analysis.tlb import Slowdown, sized_rows, tlb_cells, walk_fit
from hypbench.html import blocks, data, runs
from hypbench.html.data import Board, Source
from hypbench.plan import read_plan
from hypbench.records import read_log
from hypbench.rows import axes
from hypbench.tree import packed
from logmaker import log_of
from reportlogs import PAGES, PHASES, bodies_of, plan_text, plans, report_log
from reportpages import board, changed, of, simulated, source, table


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
    rows = {row["configuration"]: row
            for row in table(of(interrupts, Board("b", {"interrupts": found})), "tab-phases-b")
            if row["interrupt"] == "virtual timer"}
    assert rows["trapped-probes"]["sums up"] == "off by −18\u00a0instr"
    assert rows["native-probes"]["sums up"] == "yes"


def test_a_lost_total_leaves_the_phases():
    raw = changed("interrupts", lambda body: body.update(
        variant="lost") if body.get("variant") == "timer-total" else None)
    found = source("interrupts", raw=raw)
    fall = timers(found)["trapped-probes"]
    assert not fall.adds_up and fall.sum == sum(PHASES.values()) and fall.probes_cost is None
    rows = table(of(interrupts, Board("b", {"interrupts": found})), "tab-phases-b")
    assert {(row["sums up"], row["total, stamped"]) for row in rows
            if row["interrupt"] == "virtual timer"} == {("no total", "–")}


def test_storm_curves():
    found = [one for one in storm_rows(source("storm").log) if one.config == "trapped"]
    assert sorted({one.pended for one in found}) == [1, 2, 4, 8, 16, 32]
    points = [one for one in found if one.pended == 8]
    assert [one.position for one in points] == list(range(1, 9))
    assert points[4].row.p50 - points[3].row.p50 == 375  # the fifth waits for a refill


def test_histogram_keeps_every_sample_and_the_shape():
    row = source("default").row("timer_wakeup", "busy-handler", "trapped")
    values = data.histogram(row)
    assert values[0] == (89, 91) and values[-1] == (98, 1)
    assert sum(count for _, count in values) == row.pool.n
    late = source("sched").row("timer_wakeup", "busy-handler", "slice")
    assert data.histogram(late)[-1][0] == late.pool.high



# Switches

def test_switches_are_found_by_the_axes_not_the_names():
    found = {row.setting: row for row in switches.switched(source("traps"))}
    assert list(found) == ["frame=full", "stats=on", "trace=on", "wfi=trapped"]
    assert all(row.base == "trapped" for row in switches.switched(source("traps")))
    labels = {(row.base, row.setting) for row in switches.switched(source("storm"))}
    assert labels == {("trapped", "eoi=split"), ("trapped-sw", "eoi=split"), ("trapped", "lr=sw"),
                      ("trapped-split", "lr=sw")}
    assert {row.setting for row in switches.switched(source("sched"))} == {
        "fp=lazy", "fp=eager"}
    assert {(row.base, row.setting) for row in switches.switched(source("timers"))
            if row.change} == {("trapped", "cntp=emulated")}



def test_a_mode_is_found_by_its_axes():
    plain = {"stage2": "4K", "irq": "direct", "fill": "eager"}
    made = Source("faults", read_log(b""))
    made.configs = {"native": {"stage2": "off", "irq": "direct"},
                    "lazy-4K": plain | {"fill": "lazy"}, "direct-4K": plain, "direct-2M": plain}
    assert made.config_of("direct") == "direct-4K" and made.config_of("native") == "native"
    assert made.config_of("trapped") == "trapped"  # there is none: no row will be found


def test_effects_of_a_switch():
    effects = {(row.setting, row.bench, row.variant): row.change
               for row in switches.switched(source("traps"))}
    assert effects["frame=full", "hvc", "null"] == 26
    assert effects["wfi=trapped", "hvc", "null"] == 0
    assert effects["wfi=trapped", "wfi", "pending"] == 91



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
    curve = [(size, row.p50 / row.first["batch"]) for shape, size, row
             in sized_rows(found.log, "tlb_chase") if (shape, row.config) == ("random", "4K-4K")]
    assert [size for size, _ in curve] == list(PAGES) and curve[-1][1] == 16


def test_slowdown_model():
    assert Slowdown("", "", "", "", 2.24).slowdowns[1] == pytest.approx(1.0124)


def test_boots():
    found = {boot["config"]: boot for boot in boot_rows(source("faults").log)}
    lazy = found["lazy"]
    assert (lazy["fill"], lazy["fault_mean"], lazy["faults"]) == ("lazy", 610, 37)
    assert found["trapped"]["fault_mean"] is None



# Programs



def test_exits_of_both_passes_go_together():
    bodies = bodies_of("programs")
    again = [body | {"step": 99} for body in bodies if body["kind"] == "exits"]
    both = source("programs", raw=log_of(bodies[:-1] + again))
    one, two = (exits_by_step(found.log)["prog_options", "trapped-stats"]
                for found in (source("programs"), both))
    assert [(kind.kind, 2 * kind.n, 2 * kind.total) for kind in one] == [
        (kind.kind, kind.n, kind.total) for kind in two]


def test_a_wrong_checksum_shows():
    raw = changed("programs", lambda body: body.update(checksum=1) if (
        body.get("variant"), body.get("config"), body.get("bench")) == (
            "checksum", "trapped-stats", "prog_fluid") else None)
    found = source("programs", raw=raw)
    assert studies.checksums(found.log)["prog_fluid"] is False
    rows = table(of(studies, Board("b", {"programs": found})), "tab-s3")
    verdicts = {row["measured on"]: row["checksum"] for row in rows}
    assert verdicts["b: prog_fluid"] == "differs" and verdicts["b: prog_dedup"] == "equal"




# Numbers and looks

@pytest.mark.parametrize("value, text", [
    (0, "0"), (7, "7"), (1234, "1234"), (12345, "12\u202f345"), (2.25, "2.2"), (3.0, "3"),
    (-1234567, "−1\u202f234\u202f567")])
def test_numbers(value, text):
    assert blocks.number(value) == text


def test_numbers_carry_their_unit():
    icount, board_clock = blocks.Clock("qemu-icount", 62500000), blocks.Clock("silicon", 24000000)
    assert icount.show(41) == "41\u00a0instr" and icount.show(None) == "–"
    assert board_clock.show(24) == "24\u00a0ticks (1\u00a0µs)"
    assert icount.change(-3) == "−3\u00a0instr" and icount.change(0) == "±0\u00a0instr"
    assert [blocks.counted(count, "exit") for count in (1, 2)] == ["1\u00a0exit", "2\u00a0exits"]





# Damage

def test_what_a_cut_log_lost_is_named():
    whole = report_log("traps")
    cut = source("traps", raw=whole[:whole.index(b'"config":"wfi","bench":"mmio_write"')])
    assert any("no end record" in text for text in cut.problems)
    assert cut.lost == ["mmio_write: wfi",
                        "timer_wakeup: native, direct, trapped, full, stats, trace, wfi"]
    notice = conditions.losses([Board("b", {"traps": cut})], [])[0]
    assert notice.bad and "lost: mmio_write: wfi" in notice.items




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
(here / "image").with_suffix("." + name).write_bytes(image)
sys.stdout.buffer.write((here / name).read_bytes())
"""


@pytest.fixture
def tree(bench):
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
    for plan in ("default", "storm"):  # as each ends
        assert re.search(rf"^virt-a72 {plan}: \d+\.\d s, ok$", first.stderr, re.MULTILINE)
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


def test_by_the_instruction_counter_one_pass_and_few_samples_are_run(tree):
    many = plan_text("default").replace("once", "abba").replace("sgi_self", "sgi_self n=120000")
    tree.write("plans/default.plan", many + "bench smc n=20\nbench tlb_chase pages=8 n=20\n")
    tree("report")
    run = read_plan(tree.qemu.with_name("image.default").read_bytes())
    assert "order once" in run and "bench sgi_self n=10000\n" in run and "bench smc n=20\n" in run
    assert "bench tlb_chase n=1 pages=8\n" in run


def test_another_commit_of_the_same_code_is_not_run_again(tree):
    image, source = tree.out / "hypbench.elf", tree.out / "build_id.c"
    code = image.read_bytes()

    def build(name: str, more: bytes = b"") -> None:
        image.write_bytes(code + name.encode().ljust(runs.BUILD_ID_SIZE, b"\0") + more)
        source.write_text(f'const char build_id[sizeof(build_id)] = "{name}";\n')
    build("1234567")
    assert tree("report").exit_code == 0 and tree.count() == 2
    build("89abcde-dirty")
    assert tree("report").exit_code == 0 and tree.count() == 2
    build("89abcde-dirty", b"other code")
    assert tree("report").exit_code == 0 and tree.count() == 4


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



def test_what_only_qemu_knew_stays_known(tree):
    with tree.qemu.open("a") as script:
        script.write("sys.stdout.flush()\nsys.exit(3)\n")
    assert tree("report").exit_code == 1 and "QEMU ended with status 3" in page_of(tree)
    assert tree("report", "--no-run").exit_code == 1
    assert "QEMU ended with status 3" in page_of(tree)


# A simulator of caches and TLBs





@pytest.mark.parametrize(("bench", "stage1", "expected"), [
    ("tlb_chase", "4K", {"L1 TLB": 32, "L2 TLB": 1024, "L1D": 512, "L2": 16384}),
    ("tlb_chase", "2M", {"L1 TLB": 16384, "L2 TLB": 524288, "L1D": 512, "L2": 16384}),
    ("lat_mem_rd", "4K", {"L1 TLB": 128, "L2 TLB": 4096, "L1D": 32, "L2": 1024})])
def test_marks_come_from_the_run_record(bench, stage1, expected):
    assert memory.marks_of(simulated().source("tlb"), bench, stage1) == expected
    assert memory.marks_of(source("tlb-matrix", "silicon"), bench, stage1) == {}
    assert memory.marks_of(Source("tlb", read_log(b"")), bench, stage1) == {}




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


def test_two_records_files_are_a_page_of_a_against_b(tree):
    a, b = tree.write("a.jsonl", ""), tree.write("b.jsonl.xz", "")
    a.write_bytes(report_log("default"))
    b.write_bytes(packed(report_log("default")))
    result = tree("report", str(a), str(b))
    assert result.exit_code == 0, result.output
    made = page_of(tree)
    assert "A against B" in made and "rows are the same" in made
    assert 'value="A-virt-a72"' in made and 'value="B-virt-a72"' in made
    one = tree("report", str(a))
    assert one.exit_code == 2 and "two files: A.jsonl B.jsonl" in one.output
    b.write_bytes(b.read_bytes()[:-1])
    cut = tree("report", str(a), str(b))
    assert cut.exit_code == 1 and "b.jsonl.xz is a damaged xz file: it is cut" in cut.output
