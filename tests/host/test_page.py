# SPDX-License-Identifier: Apache-2.0
"""The sections of the report page. The tests compare their numbers with golden files, and with the
records if a few lines can compute the numbers. Golden files also show how a changed record changes
the page."""

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
from hypbench.model import Chart, Section, Table
from hypbench.frame import Board, Source, published
from hypbench.subjects import PARTS, QUESTIONS
from hypbench.records import read_log
from hypbench.report import summary_csv
from hypbench.windows import window_of
from logmaker import bench_record, log_from, log_of
from reportlogs import bodies_of, gem5_log, ran, report_log
from reportpages import FLAME, board, changed, damaged, chart_data, section_of, simulated, source
from test_clocks import bodies as two_clocks

WITHOUT_UNIT = "walks|unmodelled|events|model|wakeups"
TIMED = ("default", "links", "links-beside", "paper-s4", "paper-s4-vms", "tlb-matrix", "memory")


def gem5_board(*names: str) -> Board:
    return Board("g", {name: source(name, raw=gem5_log(name)) for name in names})


def versus() -> list[Board]:
    """Return boards A and B, where one benchmark takes longer in B."""
    slow = changed("default", lasting(386, bench="sgi_self"))
    return [Board(f"{side}-b", {"default": Source("default", read_log(log))}, side)
            for side, log in (("A", report_log("default")), ("B", slow))]


def arndale() -> list[Board]:
    return [Board("arndale", {"board": Source("board", log_from(two_clocks()))})]


PAGES = {"icount": (lambda: [board()], PARTS), "gem5": (lambda: [simulated(), board()], PARTS),
         "silicon": (lambda: [board("silicon", *TIMED)], PARTS),
         "neighbours": (lambda: [gem5_board("neighbours", "colouring")], [beside]),
         "independence": (lambda: [Board("g", {"timed": source(
             "paper-s4-vms", raw=gem5_log("paper-s4-vms"))})], [studies]),
         "causes": (lambda: [gem5_board("paper-s3-timed")], [studies]),
         "a-against-b": (versus, [comparison]), "two-clocks": (arndale, [conditions])}


@pytest.mark.parametrize("name", PAGES)
def test_the_numbers_of_a_page(name, kept_runs):
    boards, parts = PAGES[name]
    grids = {}
    for part in parts:
        grids |= golden.section_grids(section_of(part, *boards()))
    golden.check(f"page-{name}", grids)


def bars_on_a_logarithmic_axis(spec: dict) -> bool:
    mark, x = spec.get("mark", {}), spec.get("encoding", {}).get("x", {})
    return (isinstance(mark, dict) and mark.get("type") == "bar"
            and x.get("scale", {}).get("type") == "log"
            or any(map(bars_on_a_logarithmic_axis, spec.get("layer", []))))


def test_no_bars_on_a_logarithmic_axis():
    """On such an axis a bar has no beginning, and its length means nothing."""
    specs = [chart.spec for chart in page.charts_of(page.sections(board()))]
    assert len(specs) > 10 and not any(map(bars_on_a_logarithmic_axis, specs))


# --- the effect of a changed record ---

def matches(body: dict, **members) -> bool:
    return all(body.get(name) == value for name, value in members.items())


def lasting(ticks: int, *more: int, **members):
    """Return a change of the bench records with these members: each sample takes `ticks`, and the
    last samples take those of `more`."""
    def change(body):
        if matches(body, kind="bench", **members):
            values = [ticks] * (100 - len(more)) + list(more)
            period = {name: body[name] for name in ("period",) if name in body}
            body.update(bench_record(body, body["variant"], values, 0, window="cval", **period))
    return change


def members(changes: dict, **required):
    """Return a change that gives other values to records with the members `required`."""
    return lambda body: body.update(changes) if matches(body, **required) else None


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
    before, after = (section_of(part, Board("b", {plan: log_source}))
                     for log_source in (source(plan), source(plan, raw=changed(plan, change))))
    golden.check(f"change-{name}", golden.difference(contents_of(before), contents_of(after)))


def contents_of(section: Section) -> dict[str, golden.Grid]:
    """Return the tables, the names of the figures, and the messages of a section."""
    grids = golden.section_grids(section)
    return {name: grid for name, grid in grids.items() if name.startswith(("tab-", "cards"))} | {
        "figures": [[name] for name in chart_data(section)], "messages": golden.messages(section)}


# --- sections of one board among others ---

def measured(name: str, raw: bytes) -> Board:
    return Board(name, {"interrupts": source("interrupts", raw=raw)})


def same_board() -> Board:
    return measured("virt-a72", report_log("interrupts"))


def other_isa() -> Board:
    return measured("virt-a15", report_log("interrupts", isa="armv7"))


def silicon() -> Board:
    return Board("rpi4", {name: source(name, "silicon") for name in ("traps", "interrupts")})


SECTIONS = {
    "answer-beside-a-model": (answer, lambda: [board(), simulated()]),
    "answer-of-a-model": (answer, lambda: [simulated(), board()]),
    "answer-beside-silicon": (answer, lambda: [board(), simulated(), silicon()]),
    "answer-of-another-isa": (answer, lambda: [
        Board("virt-a15", {"traps": source("traps", raw=report_log("traps", isa="armv7"))}),
        simulated()]),
    "answer-of-fail-overs-alone": (answer, lambda: [
        Board("virt-a72", {"failover": source("failover")})]),
    "answer-without-a-kept-run": (answer, lambda: [Board("v3", {"default": source("default")})]),
    "answer-of-silicon": (answer, lambda: [board("silicon", "default")]),
    "phases-beside-the-same-gic": (interrupts, lambda: [
        simulated(), same_board(), measured("virt-a72-gicv3", report_log("interrupts", gic="v3"))]),
    "phases-beside-the-same-isa": (interrupts, lambda: [simulated(), other_isa(), same_board()]),
    "phases-beside-another-isa": (interrupts, lambda: [simulated(), other_isa()]),
    "phases-beside-another-path": (interrupts, lambda: [
        simulated(), measured("virt-a72", changed("interrupts", members(
            {"variant": "timer-inserted"}, variant="timer-injected")))]),
    "flames-of-another-length": (flames, lambda: [
        Board("b", {}, flames=[replace(FLAME, length=40)])]),
    "flames-not-counted": (flames, lambda: [Board("b", {}, why_no_flames="gcc is missing")]),
}


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_beside_other_boards(name, kept_runs):
    part, boards = SECTIONS[name]
    contents = contents_of(section_of(part, *boards()))
    if part is answer:
        del contents["messages"]
    golden.check_case("sections", name, contents)


@pytest.mark.parametrize("plan, bench, config, vm, platform", [
    ("links-beside", "net_rr", "cores-exit", "far", "silicon"),
    ("links-beside", "net_rr", "cores-exit", "served", "silicon"),
    ("paper-s2-loads", "hvc", "guest-net", "net", "qemu-icount")])
def test_a_neighbour_without_a_round_gives_no_number(plan, bench, config, vm, platform):
    """A VM that serves the neighbour (served) has no rounds if it gets no request."""
    bodies = bodies_of(plan, platform)
    at = next(at for at, body in enumerate(bodies)
              if matches(body, kind="bench", bench=bench, config=config))
    head = {name: bodies[at][name] for name in ("step", "pass", "config", "bench")}
    bodies.insert(at, ran(head, vm, rounds=0))
    sources = {"links": source("links"), plan: source(plan, raw=log_of(bodies))}
    grids = golden.section_grids(section_of(links if bench == "net_rr" else studies,
                                            Board("b", sources)))
    rows = [row for name, grid in grids.items() if name.startswith("tab-") for row in grid
            if any(str(cell).split(": ")[0] in (config, f"{bench} {config}") for cell in row)]
    assert rows and ("did not run" in str(rows)) == (vm != "served"), rows


# --- numbers that a few lines compute from the records ---

def median(plan: str, bench: str, variant: str, config: str, maker=bodies_of) -> int:
    return next(body["p50"] for body in maker(plan)
                if matches(body, kind="bench", bench=bench, variant=variant, config=config))


def test_the_ceiling_is_the_proven_one_with_the_sampled_maximum_beside(monkeypatch):
    kept_ceilings = {"kinds": {name: {"ceiling": 100} for name in (
        "exit", ceilings.KICK, *ceilings.SWITCHES)}}
    monkeypatch.setattr(answer, "ceilings_of", lambda log: kept_ceilings)
    bounds = [SimpleNamespace(largest=250, alone=50, proven=350),
              SimpleNamespace(largest=9000, alone=50, proven=None)]  # another VM's answer
    monkeypatch.setattr(answer, "bounds_of", lambda log: bounds)
    assert [cell.text for _, cell in answer.ceiling(board()).values] == [
        "300\u00a0instr", "200\u00a0instr"]
    kept_ceilings["kinds"]["exit"]["ceiling"] = None
    assert answer.ceiling(board()) is None


def test_a_dot_stands_on_the_line_of_its_row(kept_runs):
    for block in section_of(answer, board()).blocks:
        if isinstance(block, Chart):
            assert not any("yOffset" in layer["encoding"] for layer in block.spec["layer"])


@pytest.mark.parametrize("plans, timed", [
    (("timed",), []), (("timed", "switches"), ["VM switch", "yield", "fail over"])])
def test_a_kept_run_of_switches_gives_the_cards_their_times(plans, timed):
    """With the kept run each card of a way from VM to VM has the time of the general case; without
    the kept run no card has it."""
    model = Board("gem5-a72", {plan: source(plan, "gem5", gem5_log(plan)) for plan in plans})
    section = section_of(answer, board("qemu-icount", "default", "switches"), model)
    (band,) = [block for block in section.blocks if block.kind == "band"]
    modes_of = {figure.name: [mode for mode, _ in figure.times] for figure in band.figures}
    assert [name for name, modes in modes_of.items() if "general case, model" in modes] == timed


def test_a_card_names_the_modes_without_a_time():
    """If the length of a path has changed since the kept run, its time is left out."""
    timed = source("timed", "gem5", gem5_log("timed"))
    partial = replace(timed, log=replace(timed.log, records=[
        record for record in timed.log.records
        if not matches(record.data, bench="timer_wakeup", config="trapped")]))
    model = Board("gem5-a72", {"timed": partial})
    (band,) = [block for block in section_of(answer, board("qemu-icount", "default"), model).blocks
               if block.kind == "band"]
    card = band.figures[0]
    assert [mode for mode, _ in card.times] == ["direct, model"]
    assert card.meaning.endswith("No run of gem5-a72 with the time of this path (trapped) is kept.")


def test_every_question_leads_to_sections_of_the_page():
    """The boards here have neither ceilings, which come from an image, nor a guest's own
    measurement, which comes from a kept run."""
    ids = {section.id for section in page.sections(board(), boards=[board(), simulated()])}
    linked = set().union(*QUESTIONS.values())
    assert linked - ids <= {"ceilings", "cyclictest", "latency-measure"}
    assert ids - linked == {"conditions"}


def test_curves_that_hide_each_other_are_not_drawn():
    rows = source("default").of_bench("timer_wakeup")[:1] * 8
    assert interrupts.distinct(rows) == rows[:1]


def test_columns_that_are_all_alike_are_a_sentence():
    cells = [cell for cell in beside.beside_cells(source("beside").log) if cell.policy == "fp"]
    twice = cells + [replace(cell, load="load_other") for cell in cells]
    assert set(beside.same_beside_every_load(twice)) == {beside.victim(cell) for cell in cells}
    assert beside.same_beside_every_load(cells) == {}


def test_a_curve_of_samples_ends_with_the_largest():
    row, clock = source("sched").row("cyclic", "periodic", "slice"), blocks.Clock("qemu-icount", 1)
    values = source("sched").steps([row])
    assert (values[0]["share"], values[0]["value"]) == (0, row.pool.low)
    assert (values[-1]["share"], values[-1]["value"]) == (1, row.pool.high)
    assert [value["value"] for value in values if value.get("last")] == [row.pool.high]
    assert f"max {clock.show(row.pool.high)}; window: from the timer's" in values[0]["note"]
    counted = data.histogram(row)
    assert sum(count for _, count in counted) == row.pool.n and counted[-1][0] == row.pool.high


def test_options_are_found_by_the_axes_and_not_by_the_names():
    options = {(row.base, row.setting) for row in switches.switched(source("storm"))}
    assert options == {("trapped", "eoi=split"), ("trapped-sw", "eoi=split"), ("trapped", "lr=sw"),
                       ("trapped-split", "lr=sw")}


def test_exits_of_both_passes_go_together():
    bodies = bodies_of("programs")
    again = [body | {"step": 99} for body in bodies if body["kind"] == "exits"]
    both = source("programs", raw=log_of(bodies[:-1] + again))
    single, double = (programs.exits_by_step(log_source.log)["prog_options", "trapped-stats"]
                      for log_source in (source("programs"), both))
    assert [(kind.kind, 2 * kind.n, 2 * kind.total) for kind in single] == [
        (kind.kind, kind.n, kind.total) for kind in double]


# --- every number of the page ---

def test_every_number_has_a_unit_and_leads_to_its_row_of_the_csv():
    """The test checks the tables in which a line is one row, and the tables beside studies. Each
    link of the page has a target."""
    qemu_board, whole, linked = board(), set(), set()
    keys = {source.plan: {(row["bench"], row["variant"], row["config"]) for row in csv.DictReader(
        summary_csv(source.log).splitlines())} for source in qemu_board.sources.values()}
    for block in (block for part in PARTS for block in section_of(part, qemu_board).blocks
                  if isinstance(block, Table)):
        match = re.match("tab-(distributions|storm|beside-beside|failover|links|s2-hypercall)",
                         block.id)
        for cell, column in (pair for row in block.cells for pair in zip(row, block.columns)):
            text, classes, href = cell.text, page.classes(cell, column), cell.href
            if column.number and not re.search(WITHOUT_UNIT, block.id):
                assert column.unit or text in ("–", "", "not modelled here", "not measured") or (
                    re.search(r"^×|\u00a0[a-zµ%]+\)?$", text)), (block.id, column, text)
            if href.startswith("#row/"):
                _, name, plan, *key = map(unquote, href.split("/"))
                assert name == qemu_board.name and tuple(key) in keys[plan], href
                linked.add(block.id)
            elif match and "number" in classes and "theirs" not in classes:
                assert text in ("–", "") or text.startswith("S2"), (block.id, text)
        whole |= {match[1]} if match else set()
    assert len(whole) == 6 and linked >= {f"tab-s{number}-virt-a72" for number in (1, 3, 4)}


@pytest.mark.parametrize("bench, variant, says", [
    ("hvc", "null", "function 0x86000000, which does nothing"),
    ("failover", "call-runs", "from there -> this VM's first stamp"),
    ("sysreg", "actlr", "A read of ACTLR_EL1 (ACTLR), which traps with traps=on"),
    ("nothing", "run", "")])
def test_a_window_is_said_in_the_words_of_its_source(bench, variant, says):
    assert window_of(bench, variant) == says


# --- lost records ---

@pytest.mark.parametrize("damage", ["cut", "empty", "garbled", "nothing"])
def test_every_part_bears_damage(damage):
    for part in PARTS:
        assert section_of(part, damaged(damage)).id


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
        for block in section_of(part, simulated(), board()).blocks:
            assert "gem5-a72: no" not in getattr(block, "text", ""), block
    assert [notice.bad for notice in conditions.losses([simulated()], [])] == [False]


@pytest.mark.parametrize(("bench", "stage1", "expected"), [
    ("tlb_chase", "4K", {"L1 TLB": 32, "L2 TLB": 1024, "L1D": 512, "L2": 16384}),
    ("tlb_chase", "2M", {"L1 TLB": 16384, "L2 TLB": 524288, "L1D": 512, "L2": 16384}),
    ("lat_mem_rd", "4K", {"L1 TLB": 128, "L2 TLB": 4096, "L1D": 32, "L2": 1024})])
def test_sizes_of_caches_come_from_the_run_record(bench, stage1, expected):
    assert memory.marks_of(simulated().source("tlb"), bench, stage1) == expected
    assert memory.marks_of(source("tlb-matrix", "silicon"), bench, stage1) == {}


@pytest.mark.long
def test_studies_are_cited_and_lead_to_their_section():
    text = " ".join(block.text for block in section_of(studies, board()).blocks
                    if getattr(block, "kind", "") == "text")
    assert all(study.get("cite", "") in text for study in published("studies").values())
    html = page.render([board(), simulated()], [])
    for ident, text in re.findall('<section id="([a-z]+)-(.*?)</section>', html, re.DOTALL):
        unlinked = re.search(r"\bS[1-4]\b", re.sub("<a .*?</a>", "", text))
        assert bool(unlinked) == (ident == "studies"), ident
    assert page.cited("S1 < 2", Section("memory", "", "b")) == '<a href="#studies-b">S1</a> &lt; 2'


def test_a_picture_is_a_chart_of_the_page(tmp_path):
    page.write_pictures([board()], ("phases-timer-virt-a72",), tmp_path)
    svg, = tmp_path.iterdir()
    text = svg.read_text()
    assert svg.name == "phases-timer-virt-a72.svg" and text.startswith("<svg ")
    assert ">list register written<" in text and "currentColor" not in text
