# SPDX-License-Identifier: Apache-2.0
"""The sections of the report: there where their records are, with the records' numbers."""

import csv
import re
from dataclasses import replace
from urllib.parse import unquote

import pytest

from hypbench.analysis import (answer, beside, comparison, conditions, failover, flames, interrupts,
                               links, memory, programs, studies, switches)
from hypbench.analysis.programs import ProgramRow
from hypbench.analysis.studies import hypercall_tables, independence
from hypbench.html import blocks, charts, page
from hypbench.html.blocks import Band, Cell, Table, Text
from hypbench.html.data import Board, Source, published
from hypbench.html.page import PARTS
from hypbench.records import read_log
from hypbench.report import summary_csv
from hypbench.tree import Tree, read_records
from hypbench.windows import window_of
from logmaker import bench_record, log_of
from reportlogs import GAP, PHASES, bodies_of, gem5_log, ran, report_log
from reportpages import FLAME, board, changed, damaged, drawn, of, simulated, source, table

TREE = Tree()


def test_the_answer_is_of_the_records():
    band = next(block for block in of(answer, board()).blocks if isinstance(block, Band))
    found = {figure.name: figure for figure in band.figures}
    row = source("traps").row("timer_wakeup", "busy-handler", "trapped")
    timer = dict(found["timer to handler"].values)
    assert list(timer) == ["native", "direct", "trapped"]
    assert timer["trapped"].text == f"{row.p50}\u00a0instr"
    assert timer["trapped"].href == "#row/virt-a72/traps/timer_wakeup/busy-handler/trapped"
    assert "TLB miss" not in found  # the instruction counter does not model it
    late, early = (source(plan).row("timer_wakeup", "wfi-vector", config).p50
                   for plan, config in (("sched", "priority"), ("traps", "native")))
    assert dict(found["VM switch"].values)["trapped"].text == f"{late - early}\u00a0instr"
    gaps = {cores: cell.text for cores, cell in found["fail over"].values}
    assert gaps == {"one core": f"{sum(GAP)}\u00a0instr",
                    "two cores": f"{sum(GAP) + 300}\u00a0instr"}
    assert found["fail over"].factors == (f"Xen 4.17 (credit2) ×{7106 / sum(GAP):.1f}",)
    bao = (205 - 1) / (row.p50 - source("traps").row("timer_wakeup", "busy-handler", "native").p50)
    assert found["timer to handler"].factors[0] == f"Bao ×{bao:.1f}"
    timed = next(block for block in of(answer, simulated()).blocks if isinstance(block, Band))
    values = {figure.name: figure.values for figure in timed.figures}
    assert values["TLB miss"][0][1].text == "×4.00" and "fail over" not in values
    beside_it = next(block for block in of(answer, board(), simulated()).blocks
                     if isinstance(block, Band))
    assert {figure.name: figure.values for figure in beside_it.figures}["TLB miss"] == (
        values["TLB miss"])


def test_peers_of_the_same_isa_and_gic():
    v2 = board("qemu-icount", "default", "traps")
    v3 = Board("v3", {"default": source("default", raw=report_log("default", gic="v3"))})
    sgi = next(row for row in published("peers")["rows"] if row["id"] == "sgi")
    hypercall = next(row for row in published("peers")["rows"] if row["id"] == "hypercall")
    assert answer.theirs(v2, sgi)["bao"] == 808 and answer.theirs(v3, sgi)["bao"] == 777
    assert answer.only_gicv2(v3, hypercall) and not answer.only_gicv2(v2, hypercall)
    assert {system: added for system, (added, _) in answer.factors_of(v2, sgi).items()} == {
        "bao": 806, "xen": 1087, "kvm": 3416}
    assert answer.factors_of(v2, sgi)["bao"][1] == 806 / 160
    assert answer.factors_of(board("silicon", "default"), sgi) == {}


def test_an_interrupt_in_time_beside_its_instructions():
    made = of(interrupts, simulated(), board())
    assert {"fig-phases-timer-gem5-a72", "fig-phases-counted-gem5-a72"} <= drawn(made).keys()
    rows = [row for row in table(made, "tab-phase-times") if row["configuration"] == "trapped"]
    assert [row["phase"] for row in rows] == [interrupts.LABELS[name] for name in PHASES]
    assert (rows[0]["instructions"], rows[0]["time"], rows[0]["ns an instruction"]) == (
        "4\u00a0instr", "4\u00a0ns", "1.0")
    ends = [value["end"] for value in drawn(made)["fig-phases-counted-gem5-a72"]
            if value["config"] == "trapped"]
    assert ends[-1] == sum(PHASES.values())


def test_a_flame_graph_is_the_path():
    made = of(flames, board())
    values = drawn(made)["fig-flame-hvc-null-virt-a72"]
    found = {value["name"]: (value["depth"], value["start"], value["end"], value["kind"])
             for value in values}
    assert found == {"guest": (0, 0, 4, "guest"), "hvc_run": (1, 0, 4, "guest"),
                     "EL2": (0, 4, 41, "EL2"), "vectors_sync": (1, 4, 41, "EL2"),
                     "trap_hvc": (2, 4, 13, "EL2"), "hc_null": (3, 4, 6, "EL2"),
                     "isb": (2, 13, 14, "EL2")}
    rows = table(made, "tab-flames")
    assert (rows[0]["function"], rows[0]["instructions"], rows[0]["sums up"]) == (
        "all", "41\u00a0instructions", "yes")
    alone = {row["function"]: int(row["instructions"].split("\u00a0")[0]) for row in rows[1:]}
    assert alone["EL2: vectors_sync"] == 27 and sum(alone.values()) == 41


def test_a_flame_graph_that_is_not_the_path_says_so():
    wrong = Board("b", {}, flames=[replace(FLAME, length=40)])
    made = of(flames, wrong)
    assert "The guest measured 40: one of them is wrong." in made.blocks[1].caption
    assert table(made, "tab-flames")[0]["sums up"] == "measured: 40"
    without = Board("b", {}, why_no_flames="gcc is missing")
    assert "not counted: gcc is missing." in of(flames, without).blocks[0].text


def test_a_fail_over_by_phases_of_every_way():
    made = of(failover, board())
    values = drawn(made)["fig-failover-virt-a72"]
    ends = {}
    for value in values:
        assert value["start"] == ends.get(value["config"], 0)
        ends[value["config"]] = value["end"]
    assert ends == {"call, one core": sum(GAP), "call, two cores": sum(GAP) + 300,
                    "call, clock held, one core": sum(GAP) + 559, "fault, one core": 500,
                    "yield, one core": 511}
    assert [value["phase"] for value in values if value["config"] == "call, one core"] == [
        "EL2 begins", "active VM paused", "standby runs"]
    assert [value["phase"] for value in values if value["config"].startswith("fault")] == [
        "without stamps"]
    rows = [row for row in table(made, "tab-failover") if row["on"] == "two cores"]
    assert [row["phase"] for row in rows][0] == "service gap"
    assert (rows[0]["p50"], rows[0]["samples"]) == (f"{sum(GAP) + 300}\u00a0instr",
                                                    "100\u00a0samples")
    notes = next(block for block in made.blocks if isinstance(block, Table)).notes
    assert notes == ("400 of 400 interrupts of the standby that came while it was paused were"
                     " handled, each once.", "The phases add up to the whole.")


def test_only_a_call_and_a_fault_last_for_the_service_gap():
    found = {}
    for way in ("call", "fault", "heartbeat", "interrupt", "control"):
        def other(body, way=way):
            if body.get("variant") == "fault":
                body["variant"] = way
        raw = changed("failover", other)
        rows = table(of(failover, Board("b", {"failover": source("failover", raw=raw)})),
                     "tab-failover")
        found[way] = next(row["phase"] for row in rows if row["way"] == way
                          and row["p50"] == "500\u00a0instr")
    assert found == {"call": "service gap", "fault": "service gap",
                     "heartbeat": "deadline to standby", "interrupt": "interrupt to standby",
                     "control": "command to standby"}


def test_a_link_beside_a_vm_alone():
    made = of(links, board())
    values = drawn(made)["fig-links-virt-a72"]
    assert {value["config"] for value in values} == {"native", "direct", "trapped", "link-cores"}
    assert max(value["value"] for value in values if value["config"] == "link-cores") == 6160
    rows = [row for row in table(made, "tab-links") if row["configuration"] == "link-cores"]
    assert [row["p50"] for row in rows[:2]] == ["376\u00a0instr", "936\u00a0instr"]
    notes = next(block for block in made.blocks if isinstance(block, Table)
                 and block.id == "tab-links-virt-a72").notes
    assert notes == ("804\u00a0requests, 804\u00a0answers, 0\u00a0wrong words.",)
    assert "within 3 ms, the slowest in 15.864 ms" in " ".join(
        block.text for block in made.blocks if isinstance(block, Text))


def test_kinds_of_link_stand_side_by_side():
    made = of(links, board())
    rows = {row["path"]: row for row in table(made, "tab-kinds-of-links")}
    assert list(rows["bytes, 8 KiB at a time"]) == [
        "path", "loop-back, native", "doorbell, two cores", "virtio, two cores"]
    answer = rows["request to its answer, one flow"]
    assert (answer["loop-back, native"], answer["virtio, two cores"]) == (
        "626\u00a0instr", "936\u00a0instr")
    eight = rows["bytes, 8 KiB at a time"]
    assert eight["doorbell, two cores"].startswith(f"{8 * 10**9 // 16900:,}".replace(",", "\u202f"))
    factors = {(value["what"], value["config"]): value["factor"]
               for value in drawn(made)["fig-links-kinds-virt-a72"]}
    assert factors[links.BATCHES["batch-32"], "virtio, two cores"] == (900 + 128000) / (900 + 64000)
    assert factors[links.PATHS["ring"], "loop-back, native"] == 1
    alone = of(links, Board("b", {"virtio": source("virtio")}))
    assert not any(block.id.startswith("tab-kinds-of-links") for block in alone.blocks
                   if isinstance(block, Table))


def test_a_link_beside_a_third_vm():
    rows = {row["third VM"]: row for row in table(of(links, board()), "tab-third-links-beside")}
    assert list(rows) == ["cores", "cores-exit", "fp-exit", "loop", "loop-exit"]
    assert rows["cores-exit"][links.PATHS["ring"]] == "×1.00: 66\u00a0instr"
    assert rows["fp-exit"][links.PATHS["rr"]] == f"×{936 / 626:.2f}: 936\u00a0instr"
    assert rows["loop-exit"][links.PATHS["rr"]].startswith("×1.00")
    virtio = table(of(links, board()), "tab-third-virtio-beside")
    assert [row["third VM"] for row in virtio] == ["cores", "cores-exit"]
    assert "fig-links-beside-virt-a72" not in drawn(of(links, board()))
    assert "fig-links-beside-virt-a72" in drawn(of(links, board("silicon", "links",
                                                               "links-beside")))


@pytest.mark.parametrize("vm, there", [("far", "its neighbour did not run"),
                                       ("served", "×1.00: 66\u00a0ticks (1.056\u00a0µs)")])
def test_a_link_beside_a_vm_that_did_not_run(vm, there):
    """A VM that serves the neighbour (served) has no rounds where nothing is asked of it."""
    bodies = bodies_of("links-beside", "silicon")
    at = next(at for at, body in enumerate(bodies) if body["kind"] == "bench"
              and (body["bench"], body["config"]) == ("net_rr", "cores-exit"))
    head = {name: bodies[at][name] for name in ("step", "pass", "config", "bench")}
    bodies.insert(at, ran(head, vm, rounds=0))
    made = of(links, Board("b", {"links": source("links"), "links-beside": source(
        "links-beside", raw=log_of(bodies))}))
    rows = {row["third VM"]: row for row in table(made, "tab-third-links-beside")}
    assert rows["cores-exit"][links.PATHS["ring"]] == there
    assert rows["cores-exit"][links.BATCHES["batch-32"]].startswith("×1.00")
    assert rows["fp-exit"][links.PATHS["ring"]].startswith("×")
    shown = {(value["config"], value["what"])
             for value in drawn(made)["fig-links-beside-b"]}
    assert (("cores-exit", links.PATHS["ring"]) in shown) == (vm == "served")
    assert ("cores-exit", links.BATCHES["batch-32"]) in shown


def test_phases_of_a_fail_over_that_do_not_add_up_are_named():
    def longer(body):
        if body.get("variant") == "call-paused" and body["config"] == "call":
            body.update(bench_record(body, "call-paused", [900] * 100, overhead=0, window="cval"))
    found = Board("b", {"failover": source("failover", raw=changed("failover", longer))})
    notes = next(block for block in of(failover, found).blocks if isinstance(block, Table)).notes
    assert notes[-1] == "The phases do not add up to the whole: call, one core."


def test_a_curve_of_samples_ends_with_the_largest():
    row, clock = source("sched").row("cyclic", "periodic", "slice"), blocks.Clock("qemu-icount", 1)
    values = source("sched").steps([row])
    assert values[0]["share"] == 0 and values[0]["value"] == row.pool.low
    assert values[-1]["share"] == 1 and values[-1]["value"] == row.pool.high
    assert [value["value"] for value in values if value.get("last")] == [row.pool.high]
    assert f"max {clock.show(row.pool.high)}; window: from the timer's" in values[0]["note"]
    scales = [layer["encoding"]["x"]["scale"].get("type")
              for layer in charts.ecdf(values, "ns")["layer"]]
    assert scales == ["log", "log"]  # a tail is far from the median
    none = charts.ecdf([*values, values[0] | {"value": 0}], "ns")  # which such an axis has not
    assert all("type" not in layer["encoding"]["x"]["scale"] for layer in none["layer"])


def test_a_needle_is_not_drawn():
    def still(body):
        if body.get("kind") == "bench" and body["bench"] == "timer_wakeup":
            body.update(bench_record(body, body["variant"], [50] * 100, overhead=0, window="cval"))
    found = source("sched", raw=changed("sched", still))
    ids = drawn(of(interrupts, Board("b", {"sched": found})))
    assert ids and not any("timer-wakeup" in ident for ident in ids)
    assert "fig-ecdf-sched-timer-wakeup-busy-handler-virt-a72" in drawn(of(interrupts, board()))


def test_curves_of_memory_are_where_memory_is_modelled():
    made = of(memory, board())
    assert drawn(made) == {}
    assert any("not modelled here" in getattr(block, "text", "") for block in made.blocks)
    timed = of(memory, simulated())
    values = drawn(timed)["fig-tlb-chase-4K-gem5-a72"]
    assert {value["config"] for value in values} == {"native", "stage 2 4K", "stage 2 2M",
                                                     "stage 2 1G"}
    assert max(value["y"] for value in values) == 16
    rows = {(row["r of"], row["configuration"]): row for row in table(timed, "tab-model")}
    assert ("tlb_chase", "4K-lazy") not in rows
    assert (rows["tlb_chase", "4K-4K"]["r"], rows["tlb_chase", "4K-4K"]["m = 1.0\u00a0%"]) == (
        "4.00", "×1.0300")


def test_options_are_sorted_and_those_without_effect_folded():
    made = of(switches, board())
    moved = table(made, "tab-switches")
    assert {row["option"] for row in moved} >= {"frame=full", "stats=on", "wfi=trapped", "fp=lazy",
                                                "cntp=emulated"}
    sizes = [abs(int(re.sub("[^0-9]", "", row["change"]))) for row in moved]
    assert sizes == sorted(sizes, reverse=True) and 0 not in sizes
    still = next(block for block in made.blocks if isinstance(block, Table)
                 and block.id.startswith("tab-no-effect"))
    assert still.rows and still.folded == f"{len(still.rows)} without effect"
    assert "fig-states-virt-a72" not in drawn(made)
    assert "fig-states-gem5-a72" in drawn(of(switches, simulated()))


def test_studies_stand_beside_ours():
    made = of(studies, board())
    rows = table(made, "tab-s1")
    by_what = {row["what"]: (row, rows[at + 1]) for at, row in enumerate(rows) if row["what"]}
    theirs, ours = by_what["timer wake-up latency, max"]
    assert (theirs["native"], theirs["guest (ours: trapped)"]) == ("185\u00a0µs", "8939\u00a0µs")
    assert ours["native"] == "586\u00a0instr" and ours["guest to native"] == "×1.09"
    assert by_what["memory read, random"][1]["native"] == "not modelled here"
    factors = {(value["what"], value["config"]): value["factor"]
               for value in drawn(made)["fig-s1-virt-a72"]}
    assert factors["memory read, random", "S1"] == 273.75 / 122.30
    assert ("memory read, random", "hypbench") not in factors
    timed = table(of(studies, simulated()), "tab-s1")
    at = next(at for at, row in enumerate(timed) if row["what"] == "memory read, random") + 1
    assert (timed[at]["native"], timed[at]["direct"], timed[at]["guest to native"]) == (
        "4\u00a0ns", "16\u00a0ns", "×4.00")


def test_numbers_of_a_study_that_are_ours_lead_to_their_rows():
    blocks = {block.id: block for block in of(studies, board()).blocks if isinstance(block, Table)}
    links = {name: [cell.href for row in block.rows for cell in row
                    if isinstance(cell, Cell) and cell.href] for name, block in blocks.items()}
    assert "#row/virt-a72/paper-s1/cyclic/periodic/trapped" in links["tab-s1-virt-a72"]
    assert "#row/virt-a72/programs/prog_dedup/run/native" in links["tab-s3-virt-a72"]
    assert "#row/virt-a72/paper-s4/cyclic/oneshot/rr-cpu" in links["tab-s4-virt-a72"]


def test_every_number_of_a_row_leads_to_its_row_of_the_csv():
    """In the tables of which a line is one row; and no link of the page leads nowhere."""
    shown, whole = board(), set()
    there = {source.plan: {(row["bench"], row["variant"], row["config"]) for row in csv.DictReader(
        summary_csv(source.log).splitlines())} for source in shown.sources.values()}
    for block in (block for part in PARTS for block in of(part, shown).blocks
                  if isinstance(block, Table)):
        own = re.match("tab-(distributions|storm|beside-beside|failover|links|s2-hypercall)",
                       block.id)
        for text, classes, href in (cell for row in block.cells() for cell in row):
            if href.startswith("#row/"):
                _, name, plan, *key = map(unquote, href.split("/"))
                assert name == shown.name and tuple(key) in there[plan], href
            elif own and "number" in classes and "theirs" not in classes:
                assert text in ("–", "") or text.startswith("S2"), (block.id, text)
        whole |= {own[1]} if own else set()
    assert len(whole) == 6


def factors(made) -> dict[tuple[str, str], float]:
    return {(value["what"], value["config"]): value["factor"]
            for ident, values in drawn(made).items() if ident.startswith("fig-s4-b")
            for value in values}


def test_a_late_response_under_load_beside_that_of_study_s4():
    def slower(body):
        if body.get("variant") == "oneshot" and body.get("config") == "fp-exit":
            body.update(bench_record(body, "oneshot", [9000] * 100, overhead=0, window="cval",
                                     period=1875000))
    found = source("paper-s4", raw=changed("paper-s4", slower))
    late = {name: found.row("cyclic", "periodic", name).pool.high
            for name in ("trapped", "fp-cpu", "rr-cpu")}
    values = factors(of(studies, Board("b", {"paper-s4": found})))
    direct, fp, rr = ("direct: load on another core", "fp: load on this core, by priority",
                      "rr: load on this core, in turns")
    assert values["periodic", "S4"] == 21800 / 16
    assert values["periodic", rr] == late["rr-cpu"] / late["trapped"]
    assert 1 < values["periodic", fp] == late["fp-cpu"] / late["trapped"] < values["periodic", rr]
    assert values["oneshot", fp] == 9000 / found.row("cyclic", "oneshot", "trapped").pool.high
    assert values["oneshot", direct] == 1
    # by the instruction counter a sample holds instructions of the other core; by time it does not
    assert ("periodic", direct) not in values
    timed = factors(of(studies, Board("b", {"paper-s4": source("paper-s4", "silicon")})))
    assert timed["periodic", direct] == 1


def test_each_row_of_study_s4_has_ours_below_it():
    rows = table(of(studies, board()), "tab-s4-virt-a72")
    starts = [at for at, row in enumerate(rows) if row["what"]]
    assert [rows[at]["theirs"] for at in starts] == [
        f"{us}\u00a0µs" for us in (16, 48, "21\u202f800", 6700)]
    assert [end - at for at, end in zip(starts, [*starts[1:], len(rows)])] == [4, 4, 5, 5]
    assert [row["measured on"] for row in rows[1:4]] == [
        f"virt-a72, {mode}" for mode in ("native", "direct", "trapped")]
    by_load = [row["load to no load"] for row in rows[starts[2]:]]
    assert by_load[0] == "×1362.50" and by_load[1:3] == ["–", "–"] and by_load[6] == "×1.00"
    assert rows[starts[3] + 1]["measured on"].endswith("another core (direct-cpu)")

    def idle(body):
        if body.get("kind") == "vm" and body["config"] == "direct-cpu":
            body["rounds"] = 0
    without = Board("b", {"paper-s4": source("paper-s4", raw=changed("paper-s4", idle))})
    assert len(table(of(studies, without), "tab-s4-b")) == len(rows) - 2
    less = table(of(studies, simulated()), "tab-s4-gem5-a72")
    assert [row["p50, ours"] for row in less] == ["–", "not measured"] * 4


def test_a_fail_over_beside_that_of_study_s2():
    values = drawn(of(studies, board()))["fig-s2-virt-a72"]
    shares = {(value["config"], value["phase"]): round(value["end"] - value["start"], 1)
              for value in values}
    assert shares["S2, pause", "before EL2 begins"] == 99.8
    assert shares["S2, unpause", "EL2"] == 0.1
    assert shares["hypbench, call, one core", "before EL2 begins"] == round(100 * 37 / 579, 1)
    assert {value["config"] for value in values} == {
        "S2, pause", "S2, unpause", "hypbench, call, one core", "hypbench, call, two cores",
        "hypbench, call, clock held, one core", "hypbench, control VM"}
    # of base: the made-up control VM commands three vCPUs there
    assert shares["hypbench, control VM", "before EL2 begins"] == round(100 * 45 / 1132, 1)
    assert shares["hypbench, control VM", "EL2"] == round(100 * (1132 - 45) / 1132, 1)
    without = of(studies, Board("b", {"traps": source("traps")}))
    assert "fig-s2-b" not in drawn(without)


def test_parameters_beside_those_of_study_s2():
    rows = {row["parameter"]: row for row in table(of(studies, board()), "tab-s2-parameters")}
    assert rows["1 vCPU"]["theirs: pause"] == "×1.39: 20\u202f479\u00a0µs"
    assert rows["base"]["ours: command to standby"] == "×1.00: 1132\u00a0instr"
    assert rows["1 vCPU"]["all vCPUs run"] == "×0.33: 1000\u00a0instr"
    assert {row["service gap"] for row in rows.values()} == {
        "×1.00: 1200\u00a0instr", "not measured", "–"}


def test_parameters_without_a_counterpart_are_named():
    rows = {row["parameter"]: row for row in table(of(studies, board()), "tab-s2-parameters")}
    for parameter in ("storage: a file", "nice -20", "SCHED_FIFO"):
        assert rows[parameter]["here"].startswith("no counterpart")
        assert rows[parameter]["ours: command to standby"] == "–"
    assert all(row["here"] for row in rows.values())
    # a VM's memory changes nothing; a load is a factor to the base of its own plan
    assert rows["memory: 155 MB"]["ours: command to standby"] == "×1.00: 1132\u00a0instr"
    assert rows["guest network load"]["all vCPUs run"] == "×0.67: 2000\u00a0instr"
    assert rows["control-VM CPU load"]["all vCPUs run"] == "not measured"


def test_a_null_hypercall_in_each_setting_beside_that_of_study_s2():
    def slower(body):
        if (body.get("bench"), body.get("variant"), body.get("config")) == (
                "hvc", "null", "one"):
            body.update(bench_record(body, "null", [41] * 98 + [410, 62000], overhead=0,
                                     window="pair"))
    named = {"paper-s2": source("paper-s2", raw=changed("paper-s2", slower)),
             "paper-s2-loads": source("paper-s2-loads")}
    first, *rows = table(of(studies, Board("b", named)), "tab-s2-hypercall")
    assert (first["n"], first["of one order"]) == ("1000\u00a0calls", "≥ 98\u00a0%")
    assert [(row["setting"], row["measured on"]) for row in rows] == [
        *((name, "b: paper-s2") for name in ("base", "one", "memory")),
        *((name, "b: paper-s2-loads") for name in ("base", "guest-net"))]
    assert [*rows[1].values()][2:] == ["100\u00a0calls", "98.0\u00a0%", *(
        f"{value}\u00a0instr" for value in (41, 41, 410, "62\u202f000"))]
    shown, remark = hypercall_tables(named["paper-s2"].log)
    assert [*shown.columns[2].cells] == ["100.0 %", "98.0 %", "100.0 %"] and "CNTPCT" in remark
    assert hypercall_tables(source("traps").log) == []  # which has hypercalls, but no setting
    assert all("s2-hypercall" not in block.id for block in of(studies, simulated()).blocks
               if isinstance(block, Table))


def test_a_null_hypercall_beside_a_vm_that_did_not_run():
    bodies = bodies_of("paper-s2-loads")
    at = next(at for at, body in enumerate(bodies) if body["kind"] == "bench"
              and (body["bench"], body["config"]) == ("hvc", "guest-net"))
    head = {name: bodies[at][name] for name in ("step", "pass", "config", "bench")}
    bodies[at:at] = [ran(head, "active"), ran(head, "net", rounds=0)]
    found = source("paper-s2-loads", raw=log_of(bodies))
    settings = ["base", "guest-net: its neighbour did not run"]
    rows = table(of(studies, Board("b", {"paper-s2-loads": found})), "tab-s2-hypercall")
    assert [row["setting"] for row in rows[1:]] == settings
    assert [*hypercall_tables(found.log)[0].columns[0].cells] == settings


def test_independence_beside_that_of_study_s4():
    made = of(studies, board())
    rows = {(row["of"] or row["work"]): row for row in table(made, "tab-s4-vms")}
    assert rows["network"]["2 VMs"] == "90.01\u00a0%"
    cpu = next(row for work, row in rows.items() if work.startswith("work cpu"))
    assert [cpu[f"{count} VM{'s' * (count > 1)}"] for count in (1, 2, 3)] == ["100.00\u00a0%"] * 3
    memory = next(row for work, row in rows.items() if work.startswith("work stride"))
    assert memory["3 VMs"] == f"{100 * 1600 / 1616:.2f}\u00a0%"
    notes = next(block for block in made.blocks if isinstance(block, Table)
                 and block.id.startswith("tab-s4-vms")).notes
    assert "not modelled here" in notes[0]
    assert "fig-s4-vms-virt-a72" not in drawn(made)  # bars of 100 % say nothing


def test_independence_in_time_is_of_medians_and_drawn():
    values = {(value["what"], value["config"]): value["factor"]
              for value in drawn(of(studies, board("silicon", "paper-s4-vms")))[
                  "fig-s4-vms-virt-a72"]}
    assert values["memory, 2 VMs", "S4"] == 99.43
    assert values["memory, 2 VMs", "hypbench"] == 100 * 1600 / 1616
    assert ("CPU, 1 VMs", "S4") not in values


def test_independence_by_gem5_is_of_its_own_plan():
    plan = "paper-s4-timed"
    log = read_log(read_records(TREE.reference("gem5-a72", plan)))
    made = of(studies, Board("gem5-a72", {plan: Source(plan, log, kept=True)}))
    rows = {row["work"]: row for row in table(made, "tab-s4-vms")}
    memory = next(row for work, row in rows.items() if work.startswith("work stride"))
    assert (memory["2 VMs"], memory["3 VMs"]) == ("90.79\u00a0%", "81.87\u00a0%")
    assert "memory, 2 VMs" in {value["what"] for value in drawn(made)["fig-s4-vms-gem5-a72"]}


def test_a_vm_that_did_not_run_leaves_no_independence():
    def idle(body):
        if body.get("kind") == "vm" and body["config"] == "cpu-three" and body["vm"] == "third":
            body["rounds"] = 0
    log = source("paper-s4-vms", raw=changed("paper-s4-vms", idle)).log
    cpu = independence(log)[0]
    assert cpu.shares == (1, 1, None)
    assert independence(source("links").log) == []


def test_every_study_is_cited():
    text = " ".join(block.text for block in of(studies, board()).blocks
                    if getattr(block, "kind", "") == "text")
    for study in published("studies").values():
        assert study.get("cite", "") in text


def test_a_study_that_another_section_names_leads_to_the_studies():
    named = of(links, board()), of(programs, board())
    texts = [block.text for made in named for block in made.blocks if hasattr(block, "text")]
    for study in ("Study S4", "study S3"):
        assert any(f'<a href="#studies-virt-a72">{study}</a>' in text for text in texts)
    made = page.render([board(), simulated()], [])
    assert '<a href="#studies-gem5-a72">S1</a> (KVM, Cortex-A15) ×2.24' in made
    for name in ("virt-a72", "gem5-a72"):  # where it leads
        assert made.count(f'<section id="studies-{name}"') == 1
    for ident, text in re.findall('<section id="([a-z]+)-(.*?)</section>', made, re.DOTALL):
        unlinked = re.search(r"\bS[1-4]\b", re.sub("<a .*?</a>", "", text))
        assert bool(unlinked) == (ident == "studies"), ident
    assert blocks.cited("EL2 & S12", "b") == "EL2 & S12"
    assert blocks.cited("S1 < 2", "b") == '<a href="#studies-b">S1</a> &lt; 2'


def test_exits_that_take_longer_than_the_slowdown_are_marked():
    def slower(body):
        if body.get("kind") == "exits" and body["bench"] == "prog_dedup":
            body["total"] *= 4
    found = Board("b", {"programs": source("programs", raw=changed("programs", slower))})
    rows = next(block for block in of(studies, found).blocks if isinstance(block, Table)
                and block.id == "tab-s3-b").rows
    marks = {row[1]: (row[-2].text, row[-2].mark) for row in rows if isinstance(row[1], str)}
    assert marks.pop("b: prog_dedup") == ("137\u00a0%", "bad")
    assert {mark for _, mark in marks.values()} == {""} and len(marks) == 6
    over = "The exits take longer than the slowdown of dedup:"
    assert any(over in getattr(block, "text", "") for block in of(programs, found).blocks)
    assert not any("take longer" in getattr(block, "text", "")
                   for block in of(programs, board()).blocks)


def test_programs_and_their_exits():
    split = programs.splits(source("programs").log)[0]
    per_run = (1 * 130 + 3 * 95 + 1 * 60)  # exits of 11 runs: 11, 33, 11
    assert (split.bench, split.exit_count, split.exit_time) == ("prog_options", 5, per_run)
    assert split.native == pytest.approx(1_000_000, rel=1e-5)
    assert split.share == pytest.approx(1 / 3, rel=1e-3)
    longer = {value["what"]: value["factor"] for value in drawn(of(studies, board()))[
        "fig-s3-virt-a72"] if value["config"] == "hypbench"}
    assert longer["options"] == pytest.approx(100 * 3 * per_run / 1_000_000, rel=1e-3)
    row = ProgramRow("p", "trapped", 100, 100, (), 1)
    assert row.exit_time == 0 and row.share is None


def test_a_neighbour_is_shown_for_each_policy():
    assert of(beside, Board("b", {"default": source("default")})).blocks == []
    made = of(beside, board())
    cells = {(value["y"], value["x"]): (value["factor"], value["text"]) for value in
             drawn(made)["fig-beside-beside-rr-virt-a72"]}
    alone, slow = (source("beside").row("timer_wakeup", "busy-handler", name).pool.high
                   for name in ("trapped", "rr-exit"))
    assert cells["timer_wakeup busy-handler, trapped", "exit"] == (
        slow / alone, f"1 · {slow / alone:.0f}")
    assert "fig-beside-beside-null-virt-a72" not in drawn(made)  # nothing differs there
    text = made.blocks[0].text
    assert "16 of 28 pairs do not differ" in text
    rows = table(made, "tab-beside")
    assert {row["policy"] for row in rows} == {"fp", "rr"} and len(rows) == 28 - 16
    assert beside.short(1.0) == "1" and beside.short(12.64) == "12.64"


def test_turns_of_qemus_other_cores_are_not_drawn_as_a_neighbours():
    def on_its_own_core(body):
        for config in body.get("configs", []):
            config.update(sched="null", slice_us=0)

    made = of(beside, Board("b", {"beside": source("beside", raw=changed("beside",
                                                                          on_its_own_core))}))
    assert not drawn(made)
    assert "12 pairs with the load on a core of its own are not drawn" in made.blocks[0].text
    assert {row["policy"] for row in table(made, "tab-beside")} == {"null"}
    assert "are not drawn" not in of(beside, board()).blocks[0].text


def test_what_a_neighbour_takes_in_time():
    made = of(beside, Board("g", {"neighbours": source("neighbours",
                                                       raw=gem5_log("neighbours"))}))
    assert {(value["y"], value["text"]) for value in drawn(made)["fig-beside-neighbours-null-g"]
            } == {(f"revisit {kib}K, {config}", "3 · 3") for kib in (16, 256)
                  for config in ("native", "direct", "trapped")}
    assert "do not differ in either by more than 5\u00a0%" in made.blocks[0].text
    assert not any(block.id.startswith("tab-colouring") for block in made.blocks
                   if isinstance(block, Table))


def test_what_page_colouring_buys_and_costs():
    made = of(beside, Board("g", {"colouring": source("colouring", raw=gem5_log("colouring"))}))
    rows = table(made, "tab-colouring-g")
    assert [(row["benchmark"], row["stage 2"], row["alone"], row["load_mem_read"])
            for row in rows] == [
        (f"revisit {kib}K", stage2, f"{refs:.1f}\u00a0ns", f"{beside:.1f}\u00a0ns (×{factor})")
        for kib in (16, 256) for stage2, refs, beside, factor in (
            ("2M", 11, 33, "3"), ("4K", 15, 45, "3"), ("4K, coloured", 15, 22.5, "1.5"))]


def test_a_against_b_shows_what_changed_first():
    def slower(body):
        if body.get("bench") == "sgi_self" and body.get("kind") == "bench":
            body.update(bench_record(body, "handler", [386] * 100, overhead=0, window="cval"))
    raw = log_of(bodies_of("default"))
    two = [Board(f"{side}-b", {"default": Source("default", read_log(log))}, side)
           for side, log in (("A", raw), ("B", changed("default", slower)))]
    made = of(comparison, *two)
    rows = table(made, "tab-versus")
    assert {row["benchmark"] for row in rows} == {"sgi_self handler"}
    values = drawn(made)["fig-versus-A-b"]
    medians = [cell.href for block in made.blocks if isinstance(block, Table)
               for row in block.rows for cell in row if isinstance(cell, Cell) and cell.href]
    assert "#row/A-b/default/sgi_self/handler/native" in medians
    assert "#row/B-b/default/sgi_self/handler/native" in medians
    assert values[0]["factor"] == 386 / 33 and values[-1]["factor"] == 386 / 193
    assert of(comparison, board()).blocks == []


def test_every_cell_of_numbers_has_a_unit():
    bare = ("–", "not modelled here", "not measured")
    for part in PARTS:
        for block in of(part, board()).blocks:
            for row in block.cells() if isinstance(block, Table) else []:
                for text, classes, _ in row:
                    if "number" in classes and text not in bare and "walks" not in block.id:
                        assert re.search(r"^×|\u00a0[a-zµ%]+\)?$", text), (block.id, text)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__.split(".")[-1])
@pytest.mark.parametrize("damage", ["cut", "empty", "garbled", "nothing"])
def test_every_part_bears_damage(part, damage):
    assert of(part, damaged(damage)).id


def test_what_a_reference_run_lacks_is_no_loss():
    for part in PARTS:
        for block in of(part, simulated(), board()).blocks:
            assert "gem5-a72: no" not in getattr(block, "text", ""), block
    notices = conditions.losses([simulated()], [])
    assert [notice.bad for notice in notices] == [False]


def test_sections_are_there_where_their_records_are():
    def titles(one: Board) -> list[str]:
        return [section.id for section in page.sections(one, [one])]
    assert titles(board()) == ["answer", "interrupts", "flames", "memory", "beside", "failover",
                               "links", "studies", "switches", "programs", "conditions"]
    assert "programs" not in titles(simulated())


def test_the_page_is_one_small_file_and_the_same_twice():
    made = page.render([board(), simulated()], [])
    assert made == page.render([board(), simulated()], [])
    assert len(made.encode()) < 5_000_000


def test_a_picture_is_a_chart_of_the_page(tmp_path):
    page.write_pictures([board()], ("phases-timer-virt-a72",), tmp_path)
    svg, = tmp_path.iterdir()
    text = svg.read_text()
    assert svg.name == "phases-timer-virt-a72.svg" and text.startswith("<svg ")
    assert ">list register written<" in text and "currentColor" not in text


def bars_on_a_log_axis(spec: dict) -> bool:
    mark = spec.get("mark", {})
    kind = mark if isinstance(mark, str) else mark.get("type")
    x = spec.get("encoding", {}).get("x", {})
    return (kind == "bar" and x.get("scale", {}).get("type") == "log"
            or any(map(bars_on_a_log_axis, spec.get("layer", []))))


MARK = r"n [0-9\u202f]+, p50 .*, p99 .*, max .*; window: [^:]+: \S+ \S"


@pytest.mark.parametrize("part, kind", [
    (interrupts, "phases"), (interrupts, "ecdf"), (interrupts, "storm"), (memory, "tlb-chase"),
    (beside, "beside"), (failover, "failover"), (links, "links"),
    (switches, "switches"), (switches, "states")])
def test_a_pointer_over_a_mark_shows_its_samples_and_window(part, kind):
    found = [value["note"] for made in (of(part, board()), of(part, simulated()))
             for ident, values in drawn(made).items() if ident.startswith(f"fig-{kind}")
             for value in values]
    assert found
    for note in found:
        assert re.search(MARK, note), note


@pytest.mark.parametrize("kind", ["s1", "s3", "s4", "s4-vms"])
def test_so_does_a_mark_of_ours_beside_a_study(kind):
    kept = read_log(read_records(Tree().reference("gem5-a72", "paper-s4-timed")))
    alone = Board("gem5-a72", {"paper-s4-timed": Source("paper-s4-timed", kept, kept=True)})
    found = [value["note"] for one in (board(), simulated(), alone)
             for ident, values in drawn(of(studies, one)).items()
             if ident.removesuffix(f"-{one.name}") == f"fig-{kind}"
             for value in values if not re.fullmatch(r"S\d", value["config"])]
    assert found
    for note in found:
        assert re.search(MARK, note), note


@pytest.mark.parametrize("bench, variant, says", [
    ("hvc", "null", "function 0x86000000, which does nothing"),
    ("timer_wakeup", "busy-handler", "the guest meanwhile runs a loop of memory, counter and"
     " branch; the first statement of the handler"),
    ("failover", "call", "the active VM's stamp before HC_FAIL_OVER -> this VM's first stamp"),
    ("failover", "call-runs", "from there -> this VM's first stamp"),
    ("tlb_chase", "random-16p",
     "a line in each page, at a random place, the pages in random order"),
    ("tlb_maintenance", "none-refill", "the loads with nothing done before: the control"),
    ("sysreg", "actlr", "A read of ACTLR_EL1 (ACTLR), which traps with traps=on"),
    ("prog_fluid", "run", None), ("nothing", "run", "")])
def test_a_window_is_said_in_the_words_of_its_source(bench, variant, says):
    found = window_of(bench, variant)
    assert found == says if says is not None else found


def test_no_bars_on_a_logarithmic_axis():
    both = [board(), simulated()]
    specs = [chart.spec for one in both for chart in page.charts_of(page.sections(one, both))]
    assert len(specs) > 15 and not any(map(bars_on_a_log_axis, specs))
    planted = charts.chart([], 1, mark="bar", encoding={"x": charts.axis("a", None, True)})
    assert bars_on_a_log_axis(planted)
