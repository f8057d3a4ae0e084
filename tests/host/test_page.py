# SPDX-License-Identifier: Apache-2.0
"""The report page's sections: their numbers against golden files, and against the records where a
few lines compute them. What a changed record changes on the page is a golden file, too."""

import csv
import re
from dataclasses import replace
from types import SimpleNamespace
from urllib.parse import unquote

import pytest

import golden
from hypbench.analysis import (answer, beside, ceilings, comparison, conditions, failover, flames,
                               interrupts, links, memory, programs, studies, switches)
from hypbench import frame as data, model as blocks
from hypbench.html import page
from hypbench.model import Band, Chart, Section, Table
from hypbench.frame import Board, Source, published
from hypbench.subjects import PARTS, QUESTIONS
from hypbench.records import read_log
from hypbench.report import summary_csv
from hypbench.rows import axes
from hypbench.windows import window_of
from logmaker import bench_record, log_of
from paths import log_from
from reportlogs import GAP, PHASES, bodies_of, gem5_log, ran, report_log
from reportpages import (FLAME, KEPT_PATHS, board, changed, damaged, drawn, of, simulated, source,
                         table)
from test_clocks import bodies as two_clocks

WITHOUT_UNIT = "walks|unmodelled|events|model|wakeups"
TIMED = ("default", "links", "links-beside", "paper-s4", "paper-s4-vms", "tlb-matrix", "memory")


def of_gem5(*names: str) -> Board:
    return Board("g", {name: source(name, raw=gem5_log(name)) for name in names})


def versus() -> list[Board]:
    """A against B, where one benchmark takes longer."""
    slow = changed("default", lasting(386, bench="sgi_self"))
    return [Board(f"{side}-b", {"default": Source("default", read_log(log))}, side)
            for side, log in (("A", report_log("default")), ("B", slow))]


def arndale() -> list[Board]:
    return [Board("arndale", {"board": Source("board", log_from(two_clocks()))})]


PAGES = {"icount": (lambda: [board()], PARTS), "gem5": (lambda: [simulated(), board()], PARTS),
         "silicon": (lambda: [board("silicon", *TIMED)], PARTS),
         "neighbours": (lambda: [of_gem5("neighbours", "colouring")], [beside]),
         "independence": (lambda: [Board("g", {"timed": source(
             "paper-s4-vms", raw=gem5_log("paper-s4-vms"))})], [studies]),
         "causes": (lambda: [of_gem5("paper-s3-timed")], [studies]),
         "a-against-b": (versus, [comparison]), "two-clocks": (arndale, [conditions])}


@pytest.mark.parametrize("name", PAGES)
def test_the_numbers_of_a_page(name, kept_runs):
    boards, parts = PAGES[name]
    found = {}
    for part in parts:
        found |= golden.of_section(of(part, *boards()))
    golden.check(f"page-{name}", found)


def bars_on_a_logarithmic_axis(spec: dict) -> bool:
    mark, x = spec.get("mark", {}), spec.get("encoding", {}).get("x", {})
    return (isinstance(mark, dict) and mark.get("type") == "bar"
            and x.get("scale", {}).get("type") == "log"
            or any(map(bars_on_a_logarithmic_axis, spec.get("layer", []))))


def test_no_bars_on_a_logarithmic_axis():
    """Such a bar has no beginning, and its length means nothing."""
    specs = [chart.spec for chart in page.charts_of(page.sections(board()))]
    assert len(specs) > 10 and not any(map(bars_on_a_logarithmic_axis, specs))


# What a changed record changes

def matches(body: dict, **members) -> bool:
    return all(body.get(name) == value for name, value in members.items())


def lasting(ticks: int, *more: int, **members):
    """Of the bench records with these members each sample takes so many ticks, but the last."""
    def change(body):
        if matches(body, kind="bench", **members):
            values = [ticks] * (100 - len(more)) + list(more)
            kept = {name: body[name] for name in ("period",) if name in body}
            body.update(bench_record(body, body["variant"], values, 0, window="cval", **kept))
    return change


def members(changes: dict, **wanted):
    """Records with the members `wanted` have other values."""
    return lambda body: body.update(changes) if matches(body, **wanted) else None


def own_core(body: dict) -> None:
    for config in body.get("configs", []):
        config.update(sched="null", slice_us=0)


def longer_exits(body: dict) -> None:
    if matches(body, kind="exits", bench="prog_dedup"):
        body["total"] *= 4


CHANGES = {
    "phase-lost": (interrupts, "interrupts", members({"variant": "lost"},
                                                     variant="timer-injected")),
    "total-lost": (interrupts, "interrupts", members({"variant": "lost"}, variant="timer-total")),
    "needle": (interrupts, "sched", lasting(50, bench="timer_wakeup")),
    "fail-over-phase": (failover, "failover", lasting(900, variant="call-paused", config="call")),
    **{f"fail-over-by-{way}": (failover, "failover", members({"variant": way}, variant="fault"))
       for way in ("heartbeat", "interrupt", "control")},
    "checksum": (studies, "programs", members({"checksum": 1}, variant="checksum",
                                              config="trapped-stats", bench="prog_fluid")),
    "exits-longer": (studies, "programs", longer_exits),
    "exits-longer-text": (programs, "programs", longer_exits),
    "s4-late": (studies, "paper-s4", lasting(9000, variant="oneshot", config="fp-load")),
    "s4-idle": (studies, "paper-s4", members({"rounds": 0}, kind="vm", config="direct-load")),
    "s4-vms-idle": (studies, "paper-s4-vms", members({"rounds": 0}, kind="vm", vm="third",
                                                     config="cpu-three")),
    "s2-tail": (studies, "paper-s2", lasting(41, 410, 62000, bench="hvc", variant="null",
                                             config="one")),
    "beside-own-core": (beside, "beside", own_core),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_a_changed_record_changes(name):
    part, plan, change = CHANGES[name]
    base, other = (of(part, Board("b", {plan: found}))
                   for found in (source(plan), source(plan, raw=changed(plan, change))))
    golden.check(f"change-{name}", golden.difference(told(base), told(other)))


def told(section: Section) -> dict[str, golden.Grid]:
    """Tables, names of figures, and messages."""
    found = golden.of_section(section)
    return {name: made for name, made in found.items() if name.startswith("tab-")} | {
        "figures": [[name] for name in drawn(section)], "messages": golden.messages(section)}


@pytest.mark.parametrize("plan, bench, config, vm, platform", [
    ("links-beside", "net_rr", "cores-exit", "far", "silicon"),
    ("links-beside", "net_rr", "cores-exit", "served", "silicon"),
    ("paper-s2-loads", "hvc", "guest-net", "net", "qemu-icount")])
def test_a_neighbour_without_a_round_gives_no_number(plan, bench, config, vm, platform):
    """A VM that serves the neighbour (served) has no rounds where nothing is asked of it."""
    bodies = bodies_of(plan, platform)
    at = next(at for at, body in enumerate(bodies)
              if matches(body, kind="bench", bench=bench, config=config))
    head = {name: bodies[at][name] for name in ("step", "pass", "config", "bench")}
    bodies.insert(at, ran(head, vm, rounds=0))
    named = {"links": source("links"), plan: source(plan, raw=log_of(bodies))}
    found = golden.of_section(of(links if bench == "net_rr" else studies, Board("b", named)))
    rows = [row for name, made in found.items() if name.startswith("tab-") for row in made
            if any(str(cell).split(": ")[0] in (config, f"{bench} {config}") for cell in row)]
    assert rows and ("did not run" in str(rows)) == (vm != "served"), rows


# Numbers that a few lines compute from the records

def median(plan: str, bench: str, variant: str, config: str, maker=bodies_of) -> int:
    return next(body["p50"] for body in maker(plan)
                if matches(body, kind="bench", bench=bench, variant=variant, config=config))


def band(*boards: Board) -> dict:
    found = next(block for block in of(answer, *boards).blocks if isinstance(block, Band))
    return {figure.name: figure for figure in found.figures}


def first_number(text: str) -> int:
    return int(re.sub(r"\D", "", text.split("\u00a0")[0]))


def test_the_answer_is_of_the_records():
    found = {name: {mode: first_number(cell.text) for mode, cell in figure.values}
             for name, figure in band(board()).items()}
    natively = median("traps", *answer.TIMER, "native")
    asleep = median("traps", *answer.ASLEEP, "native")

    def switch(config: str) -> int:
        return median("switches", "vm_switch", "preempt", config) - asleep

    assert found == {
        "timer to vector": {mode: median("traps", *answer.TIMER, mode) - natively
                            for mode in ("direct", "trapped")},
        "hypercall": {mode: median("traps", "hvc", "null", mode) for mode in ("direct", "trapped")},
        "VM switch": {"general case": switch("switch"), "timers idle": switch("switch-idle"),
                      "best case": switch("switch-best")},
        "yield": {case: median("switches", "vm_yield", "yield", config) for case, config in (
            ("general case", "yield"), ("best case", "yield-best"))},
        "fail over": {"general case": median("switches", "failover", "control", "failover"),
                      "best case": median("switches", "failover", "call", "failover-best")}}
    cell = dict(band(board())["timer to vector"].values)["trapped"]
    assert cell.href == "#row/virt-a72/traps/timer_wakeup/busy-vector/trapped"
    timed, beside_it = band(simulated()), band(board(), simulated())
    assert "fail over" not in timed and timed["TLB miss"].values[0][1].text == "×4.00"
    assert beside_it["TLB miss"].values == timed["TLB miss"].values


def test_the_factors_of_a_page_are_of_the_kept_runs(kept_runs):
    shown = {(value["what"], value["config"]): value["factor"]
             for value in drawn(of(answer, board()))["fig-peers-virt-a72"]}
    call, timer, wake = KEPT_PATHS.values()
    assert shown == {
        (call, "hypbench"): 1, (call, "Xen credit2"): 466 / 44, (call, "Xen credit"): 472 / 44,
        (timer, "hypbench"): 1, (timer, "Xen credit"): 1061 / 41, (timer, "Xen credit2"): 1061 / 41,
        (wake, "hypbench"): 1, (wake, "Xen credit"): 3017 / 600, (wake, "Xen credit2"): 4090 / 600}
    cards = band(board())
    assert {name: (card.base, card.factors) for name, card in cards.items() if card.base} == {
        "timer to vector": (f"{timer}, one probe: hypbench 41", ("Xen 4.17.5 1061 ×25.9",)),
        "hypercall": (f"{call}, one probe: hypbench 44", ("Xen 4.17.5 466 ×10.6",)),
        "VM switch": (f"{wake}, one probe: hypbench 600", ("Xen 4.17.5 3017 ×5.0",))}
    assert cards["fail over"].factors == ()


def test_the_cards_have_the_time_of_the_model_of_the_same_core():
    """Of a board of another isa there is none; a board's own run comes before a model's."""
    card = band(board(), simulated())["timer to vector"]
    timed = simulated().source("timed")
    natively, trapped = (timed.row(*answer.TIMER, mode).p50 for mode in ("native", "trapped"))
    assert dict(card.times)["trapped, model"].text == f"+{(trapped - natively) / 1000:.3g}\u00a0µs"
    assert dict(card.values)["trapped"].text == dict(band(board())["timer to vector"].values)[
        "trapped"].text
    assert band(simulated(), board())["timer to vector"].times == card.times
    other = Board("virt-a15", {"traps": Source("traps", read_log(report_log(
        "traps", isa="armv7")))})
    assert band(other, simulated())["timer to vector"].times == ()
    silicon = Board("rpi4", {"traps": source("traps", "silicon")})
    assert answer.pair_of(board(), [board(), simulated(), silicon])[0] is silicon


def test_the_share_of_a_core_is_the_whole_path_times_a_thousand():
    whole = source("interrupts", "silicon")
    found = dict(answer.share(Board("rpi4", {"interrupts": whole})).values)
    hz = whole.log.run["hz"]
    assert found["trapped"].text == blocks.percent(
        1000 * whole.row("irq_phases", "timer-total", "trapped").p50 / hz, 3)
    assert answer.share(None) is None


def test_the_ceiling_is_the_proven_one_with_the_sampled_maximum_beside(monkeypatch):
    kept = {"kinds": {name: {"ceiling": 100} for name in (
        "exit", ceilings.KICK, *ceilings.SWITCHES)}}
    monkeypatch.setattr(answer, "kept_of", lambda log: kept)
    monkeypatch.setattr(answer, "bounds_of", lambda log: [SimpleNamespace(seen=250, alone=50)])
    assert [cell.text for _, cell in answer.ceiling(board()).values] == [
        "300\u00a0instr", "200\u00a0instr"]
    kept["kinds"]["exit"]["ceiling"] = None
    assert answer.ceiling(board()) is None


def test_a_dot_stands_on_the_line_of_its_row(kept_runs):
    for block in of(answer, board()).blocks:
        if isinstance(block, Chart):
            assert not any("yOffset" in layer["encoding"] for layer in block.spec["layer"])


def test_every_question_leads_to_sections_of_the_page():
    ids = {section.id for section in page.sections(board(), boards=[board(), simulated()])}
    asked = set().union(*QUESTIONS.values())
    assert asked - ids <= {"ceilings"} and ids - asked == {"conditions"}


def test_curves_that_hide_each_other_are_not_drawn():
    rows = source("default").of_bench("timer_wakeup")[:1] * 8
    assert interrupts.distinct(rows) == rows[:1]


def test_columns_that_are_all_alike_are_a_sentence():
    cells = [cell for cell in beside.beside_cells(source("beside").log) if cell.policy == "fp"]
    twice = cells + [replace(cell, load="load_other") for cell in cells]
    assert set(beside.same_beside_every_load(twice)) == {beside.victim(cell) for cell in cells}
    assert beside.same_beside_every_load(cells) == {}


def test_without_the_general_case_the_best_case_has_its_name(kept_runs):
    only = Board("virt-a72", {"failover": source("failover")})
    assert [case for case, _ in band(only)["fail over"].values] == [
        "best case, one core", "best case, two cores"]
    assert band(only)["fail over"].factors == ()


def test_no_kept_run_no_number(kept_runs):
    for other in (Board("v3", {"default": source("default")}), board("silicon", "default")):
        section = of(answer, other)
        assert not [block for block in section.blocks if isinstance(block, Table)]
        assert not drawn(section)
        assert all(not figure.factors for figure in band(other).values())


def test_phases_follow_each_other_and_sum_to_the_total():
    by_way = {"call, one core": sum(GAP), "call, two cores": sum(GAP) + 300,
              "fault, one core": 500,
              "yield, one core": 511}
    timer = sum(PHASES.values())
    by_mode = {"trapped": timer, "trapped-sw": timer,
               **dict.fromkeys(("native", "direct"), sum(list(PHASES.values())[4:]))}
    for part, figure, totals in ((failover, "fig-failover-virt-a72", by_way),
                                 (interrupts, "fig-phases-timer-virt-a72", by_mode)):
        ends = {}
        for value in drawn(of(part, board()))[figure]:
            assert value["start"] == ends.get(value["config"], 0)
            ends[value["config"]] = value["end"]
        assert {name.removesuffix("-probes"): end for name, end in ends.items()} == totals
    log = source("interrupts").log
    fall = next(one for one in interrupts.waterfalls(log) if one.config == "trapped-probes")
    assert fall.without_probes.p50 == timer - 24 and fall.adds_up


def test_a_curve_of_samples_ends_with_the_largest():
    row, clock = source("sched").row("cyclic", "periodic", "slice"), blocks.Clock("qemu-icount", 1)
    values = source("sched").steps([row])
    assert (values[0]["share"], values[0]["value"]) == (0, row.pool.low)
    assert (values[-1]["share"], values[-1]["value"]) == (1, row.pool.high)
    assert [value["value"] for value in values if value.get("last")] == [row.pool.high]
    assert f"max {clock.show(row.pool.high)}; window: from the timer's" in values[0]["note"]
    counted = data.histogram(row)
    assert sum(count for _, count in counted) == row.pool.n and counted[-1][0] == row.pool.high


def test_effects_of_an_option_are_medians_subtracted():
    for row in switches.switched(source("traps")):
        other = row.setting.split("=")[0].replace("frame", "full")
        assert row.change == (median("traps", row.bench, row.variant, other)
                              - median("traps", row.bench, row.variant, row.base)), row
    found = {(row.base, row.setting) for row in switches.switched(source("storm"))}
    assert found == {("trapped", "eoi=split"), ("trapped-sw", "eoi=split"), ("trapped", "lr=sw"),
                     ("trapped-split", "lr=sw")}  # by the axes, not by the names


def test_exits_of_a_program_are_of_one_run():
    split = programs.splits(source("programs").log)[0]
    per_run = 1 * 130 + 3 * 95 + 1 * 60  # exits of 11 runs: 11, 33, 11
    assert (split.bench, split.exit_count, split.exit_time) == ("prog_options", 5, per_run)
    assert split.share == pytest.approx(1 / 3, rel=1e-3)
    bodies = bodies_of("programs")
    again = [body | {"step": 99} for body in bodies if body["kind"] == "exits"]
    both = source("programs", raw=log_of(bodies[:-1] + again))
    one, two = (programs.exits_by_step(found.log)["prog_options", "trapped-stats"]
                for found in (source("programs"), both))
    assert [(kind.kind, 2 * kind.n, 2 * kind.total) for kind in one] == [
        (kind.kind, kind.n, kind.total) for kind in two]


def test_a_flame_graph_that_is_not_the_path_says_so():
    made = of(flames, Board("b", {}, flames=[replace(FLAME, length=40)]))
    assert "The guest measured 40: one of them is wrong." in made.blocks[1].caption
    assert table(made, "tab-flames")[0]["sums up"] == "measured: 40"
    without = of(flames, Board("b", {}, why_no_flames="gcc is missing"))
    assert "not counted: gcc is missing." in without.blocks[0].text


# What every number of the page has

def test_every_number_has_a_unit_and_leads_to_its_row_of_the_csv():
    """In the tables of which a line is one row, and in those beside studies; no link of the page
    leads nowhere."""
    shown, whole, linked = board(), set(), set()
    there = {source.plan: {(row["bench"], row["variant"], row["config"]) for row in csv.DictReader(
        summary_csv(source.log).splitlines())} for source in shown.sources.values()}
    for block in (block for part in PARTS for block in of(part, shown).blocks
                  if isinstance(block, Table)):
        own = re.match("tab-(distributions|storm|beside-beside|failover|links|s2-hypercall)",
                       block.id)
        for cell, column in (pair for row in block.cells for pair in zip(row, block.columns)):
            text, classes, href = cell.text, page.classes(cell, column), cell.href
            if column.number and not re.search(WITHOUT_UNIT, block.id):
                assert column.unit or text in ("–", "", "not modelled here", "not measured") or (
                    re.search(r"^×|\u00a0[a-zµ%]+\)?$", text)), (block.id, column, text)
            if href.startswith("#row/"):
                _, name, plan, *key = map(unquote, href.split("/"))
                assert name == shown.name and tuple(key) in there[plan], href
                linked.add(block.id)
            elif own and "number" in classes and "theirs" not in classes:
                assert text in ("–", "") or text.startswith("S2"), (block.id, text)
        whole |= {own[1]} if own else set()
    assert len(whole) == 6 and linked >= {f"tab-s{number}-virt-a72" for number in (1, 3, 4)}


def test_a_pointer_over_a_mark_shows_its_samples_and_window():
    seen = set()
    for part in PARTS:
        for made in (of(part, board()), of(part, simulated())):
            for ident, values in drawn(made).items():
                kind = re.match(r"fig-(s\d|[a-z]+)", ident)[1]
                for value in values:
                    if kind in ("flame", "peers", "exit", "s2") or re.match(
                            r"S\d", value.get("config", "")):
                        continue
                    assert re.search(r"n [0-9\u202f]+, p50 .*, p99 .*, max .*; window: [^:]+: \S+"
                                     r" \S", value["note"]), (ident, value)
                    seen.add(kind)
    assert seen >= {"phases", "ecdf", "storm", "tlb", "beside", "failover", "links", "switches",
                    "states", "s1", "s3", "s4"}


@pytest.mark.parametrize("value, text", [
    (0, "0"), (1234, "1234"), (12345, "12\u202f345"), (2.25, "2.2"), (3.0, "3"),
    (-1234567, "−1\u202f234\u202f567")])
def test_numbers(value, text):
    assert blocks.number(value) == text


def test_numbers_carry_their_unit():
    icount, board_clock = blocks.Clock("qemu-icount", 62500000), blocks.Clock("silicon", 24000000)
    assert icount.show(41) == "41\u00a0instr" and icount.show(None) == "–"
    assert board_clock.show(24) == "24\u00a0ticks (1\u00a0µs)"
    assert icount.change(-3) == "−3\u00a0instr" and icount.change(0) == "±0\u00a0instr"


@pytest.mark.parametrize("bench, variant, says", [
    ("hvc", "null", "function 0x86000000, which does nothing"),
    ("failover", "call-runs", "from there -> this VM's first stamp"),
    ("sysreg", "actlr", "A read of ACTLR_EL1 (ACTLR), which traps with traps=on"),
    ("nothing", "run", "")])
def test_a_window_is_said_in_the_words_of_its_source(bench, variant, says):
    assert window_of(bench, variant) == says


# What there is, and what was lost

def test_sections_are_there_where_their_records_are():
    def titles(one: Board) -> list[str]:
        return [section.id for section in page.sections(one)]
    assert titles(board()) == ["answer", "interrupts", "flames", "memory", "beside", "failover",
                               "links", "studies", "switches", "programs", "conditions"]
    assert "programs" not in titles(simulated())
    assert of(comparison, board()).blocks == []


@pytest.mark.parametrize("damage", ["cut", "empty", "garbled", "nothing"])
def test_every_part_bears_damage(damage):
    for part in PARTS:
        assert of(part, damaged(damage)).id


def test_what_was_lost_is_named():
    whole = report_log("traps")
    cut = source("traps", raw=whole[:whole.index(b'"config":"wfi","bench":"mmio_write"')])
    assert any("no end record" in text for text in cut.problems)
    assert cut.lost == ["mmio_write: wfi",
                        "timer_wakeup: native, direct, trapped, full, stats, trace, wfi"]
    notice = conditions.losses([Board("b", {"traps": cut})], [])[0]
    assert notice.bad and "lost: mmio_write: wfi" in notice.items
    missing = conditions.losses([], ["storm", "sched"])[0]
    assert "storm, sched" in missing.text and not missing.bad


def test_what_a_reference_run_lacks_is_no_loss():
    for part in PARTS:
        for block in of(part, simulated(), board()).blocks:
            assert "gem5-a72: no" not in getattr(block, "text", ""), block
    assert [notice.bad for notice in conditions.losses([simulated()], [])] == [False]


def test_every_axis_off_its_default_is_said():
    for axis, values in axes().items():
        if values and axis not in data.PRESET_AXES:
            assert conditions.besides({axis: values[-1]}) == f"{axis}={values[-1]}"
            assert conditions.besides({axis: values[0]}) == ""


def test_a_mode_is_found_by_its_axes():
    usual = {"stage2": "4K", "irq": "direct", "fill": "eager"}
    made = Source("faults", read_log(b""))
    made.configs = {"native": {"stage2": "off", "irq": "direct"},
                    "lazy-4K": usual | {"fill": "lazy"}, "direct-4K": usual, "direct-2M": usual}
    assert made.config_of("direct") == "direct-4K" and made.config_of("native") == "native"
    assert made.config_of("trapped") == "trapped"  # there is none: no row will be found


@pytest.mark.parametrize(("bench", "stage1", "expected"), [
    ("tlb_chase", "4K", {"L1 TLB": 32, "L2 TLB": 1024, "L1D": 512, "L2": 16384}),
    ("tlb_chase", "2M", {"L1 TLB": 16384, "L2 TLB": 524288, "L1D": 512, "L2": 16384}),
    ("lat_mem_rd", "4K", {"L1 TLB": 128, "L2 TLB": 4096, "L1D": 32, "L2": 1024})])
def test_sizes_of_caches_come_from_the_run_record(bench, stage1, expected):
    assert memory.marks_of(simulated().source("tlb"), bench, stage1) == expected
    assert memory.marks_of(source("tlb-matrix", "silicon"), bench, stage1) == {}


def test_the_board_of_the_same_gic_stands_beside_it_if_there_is_one():
    like, ours = board(), simulated()
    same, other = (Board(name, {"interrupts": Source("interrupts", read_log(
        report_log("interrupts", **more)))}) for name, more in (
            ("virt-a72-gicv3", {"gic": "v3"}), ("virt-a15", {"isa": "armv7"})))
    assert interrupts.counterpart(ours, [like, same, ours]) is same
    assert interrupts.counterpart(ours, [other, like, ours]) is like
    assert interrupts.counterpart(ours, [other, ours]) is None
    renamed = source("interrupts", raw=changed("interrupts", members(
        {"variant": "timer-inserted"}, variant="timer-injected")))
    pairs = interrupts.phase_pairs(Board("virt-a72", {"interrupts": renamed}), ours)
    assert [fall.config for fall, _ in pairs] == ["native-probes", "direct-probes"]


def test_studies_are_cited_and_lead_to_their_section():
    text = " ".join(block.text for block in of(studies, board()).blocks
                    if getattr(block, "kind", "") == "text")
    assert all(study.get("cite", "") in text for study in published("studies").values())
    made = page.render([board(), simulated()], [])
    for ident, text in re.findall('<section id="([a-z]+)-(.*?)</section>', made, re.DOTALL):
        unlinked = re.search(r"\bS[1-4]\b", re.sub("<a .*?</a>", "", text))
        assert bool(unlinked) == (ident == "studies"), ident
    assert page.cited("S1 < 2", Section("memory", "", "b")) == '<a href="#studies-b">S1</a> &lt; 2'


def test_a_picture_is_a_chart_of_the_page(tmp_path):
    page.write_pictures([board()], ("phases-timer-virt-a72",), tmp_path)
    svg, = tmp_path.iterdir()
    text = svg.read_text()
    assert svg.name == "phases-timer-virt-a72.svg" and text.startswith("<svg ")
    assert ">list register written<" in text and "currentColor" not in text
