# SPDX-License-Identifier: Apache-2.0
"""`hypbench silicon-report`: each verdict by records that a board could have made, and by records
that are like them but for one thing; no verdict by those of an emulator."""

import json
import re

import pytest

from hypbench.records import read_log
from hypbench.silicon import DECISIONS, GIC_400, Board, Finding, Verdict, findings
from hypbench.silicon_report import anonymous, firmware_of
from hypbench.tree import HOME, Tree
from logmaker import log_of, sample_run

HZ, CPU_HZ = 54_000_000, 1_500_000_000
RATE = CPU_HZ / HZ
BOARD = {"board": "rpi4", "hz": HZ, "cores": ["el2"] * 4, "entry_level": "el2",
         "entry_sctlr": "0x0", "platform": "silicon", "plan": "silicon"}
# What other boards have by their silicon: firmware starts their other cores by PSCI.
AS_ZCU102 = {"board": "zcu102", "hz": 99_990_005, "cores": ["el2"]}
AS_VERSAL = {"board": "versal", "hz": 100_000_000, "cores": ["el2"]}


class Fake:
    """A log of these records. The rules of a sound log are other tests' business."""

    def __init__(self, *records: dict, **run):
        self.run = BOARD | run
        self.records = records

    def of_kind(self, kind: str) -> list[dict]:
        return [one for one in self.records if one["kind"] == kind]


def row_of(config: str, name: str, ticks: int, variant: str = "null", **more) -> dict:
    return {"kind": "bench", "config": config, "bench": name, "variant": variant, "p50": ticks,
            "hz": HZ, "cycles_p50": round(ticks * RATE) + 1} | more


def step(cpu_hz: int = CPU_HZ) -> dict:
    return {"kind": "step", "cpu_hz": cpu_hz}


def answers(sent: int, answered: int, wrong: int = 0) -> dict:
    return {"kind": "check", "config": "two-cores", "variant": "answers", "sent": sent,
            "answered": answered, "wrong": wrong}


def litmus(variant: str, **more) -> dict:
    return {"kind": "check", "config": "two-cores", "bench": "litmus", "variant": variant,
            "r00": 600, "r01": 10, "r10": 0, "r11": 400} | more


def pages(config: str, iidr: int = GIC_400) -> dict:
    return {"kind": "check", "config": config, "variant": "pages", "iidr": iidr}


def events(config: str, total: int) -> dict:
    return row_of(config, "tlb_chase", 1000, events=[{"name": "l1d_tlb_refill", "sum": total}])


EVENTS = [events(group, 7) for group in ("tlb", "cache", "branch")]
GOOD = [step(), row_of("trapped", "hvc", 40), row_of("cold-caches", "hvc", 90),
        row_of("cold-tlb", "hvc", 60), row_of("trapped", "irq_phases", 150),
        row_of("native", "timer_wakeup", 61), row_of("trapped", "timer_wakeup", 101),
        answers(1000, 1000), *EVENTS,
        *(litmus(f"{shape}-barrier", wrong=0) for shape in ("mp", "sb", "post")),
        litmus("mp-plain", relaxed=3), litmus("sb-plain", relaxed=900),
        litmus("post-plain", relaxed=0)]


def found_of(*logs: Fake) -> list[Finding]:
    return findings(logs, Board.of(HOME / "boards" / logs[0].run["board"]))


def verdict_of(row: str, *records: dict, **run) -> Verdict:
    return next(one for one in found_of(Fake(*records, **run)) if one.row == row).verdict


def without(*gone: dict) -> list[dict]:
    return [one for one in GOOD if one not in gone]


CONFIRMED, REFUTED, OPEN = Verdict.CONFIRMED, Verdict.REFUTED, Verdict.OPEN
PMCCNTR, COLD, BARRIERS = list(DECISIONS)[:3]
LOADER, EL3, RPI4 = "`start.S` cleans", "What EL3 leaves", "`rpi4`: firmware"
ZCU102 = "`zcu102`: U-Boot"


@pytest.mark.parametrize("row, verdict, records, run", [
    (PMCCNTR, CONFIRMED, GOOD, {}),
    (PMCCNTR, REFUTED, [*GOOD, row_of("trapped", "sysreg", 100, cycles_p50=2500)], {}),
    (PMCCNTR, REFUTED, [*GOOD, step(CPU_HZ // 2)], {}),
    (PMCCNTR, OPEN, [step()], {}),
    (COLD, CONFIRMED, GOOD, {}),
    (COLD, REFUTED, [*without(GOOD[2]), row_of("cold-caches", "hvc", 41)], {}),
    (COLD, OPEN, without(*EVENTS[:1]), {}),
    (COLD, OPEN, [*without(*EVENTS[:1]), events("tlb", 0)], {}),
    (BARRIERS, CONFIRMED, GOOD, {}),
    (BARRIERS, REFUTED, [*GOOD, litmus("post-barrier", wrong=1)], {}),
    (BARRIERS, OPEN, without(litmus("mp-plain", relaxed=3)), {}),
    (BARRIERS, OPEN, [*without(litmus("sb-plain", relaxed=900)), litmus("sb-plain", relaxed=0)],
     {}),
    (BARRIERS, OPEN, [step(), litmus("mp-plain", relaxed=3), litmus("sb-plain", relaxed=900)], {}),
    (BARRIERS, OPEN, [{"kind": "check", "bench": "litmus", "variant": "mp-plain"},
                      {"kind": "check", "variant": "answers"}, step()], {}),  # of a forged log
    (BARRIERS, OPEN, [step()], {}),
    (BARRIERS, REFUTED, [*GOOD, answers(1000, 999)], {}),
    (BARRIERS, REFUTED, [*GOOD, answers(1000, 1000, 1)], {}),
    (LOADER, OPEN, GOOD, {}),
    (LOADER, CONFIRMED, GOOD, {"entry_sctlr": "0x30c51835"}),
    (EL3, OPEN, GOOD, {}),
    (EL3, CONFIRMED, GOOD, {"entry_level": "el3"}),
    (RPI4, CONFIRMED, GOOD, {}),
    (RPI4, REFUTED, GOOD, {"cores": ["el2", "absent", "el2", "el2"]}),
    (RPI4, REFUTED, [*GOOD, {"kind": "skip", "reason": "INTID 97 is pending by itself: a device"
                             " has it"}], {}),
    (RPI4, OPEN, without(GOOD[4]), {}),
    (RPI4, OPEN, GOOD, AS_ZCU102),
    (ZCU102, CONFIRMED, [*GOOD, pages("native"), pages("trapped")], AS_ZCU102),
    (ZCU102, REFUTED, [*GOOD, pages("native"), pages("trapped", 0)], AS_ZCU102),
    (ZCU102, REFUTED, [*GOOD, pages("native", 0x2043b), pages("trapped")], AS_ZCU102),
    (ZCU102, OPEN, [*GOOD, pages("native")], AS_ZCU102),
    (ZCU102, OPEN, GOOD, AS_ZCU102),
    ("`versal`: U-Boot", CONFIRMED, GOOD, AS_VERSAL),
    ("Errata of", OPEN, GOOD, {})])
def test_a_row_is_decided_by_its_evidence(row, verdict, records, run):
    assert verdict_of(row, *records, **run) == verdict


@pytest.mark.parametrize("run, records, evidence", [
    ({"platform": "qemu-icount"}, GOOD, "records are of qemu-icount, a model"),
    ({"platform": "gem5"}, GOOD, "records are of gem5, a model"),
    ({}, [one | {"cycles_p50": one["p50"] * 16} if "cycles_p50" in one else one
          for one in GOOD], "multiples of 16"),
    ({"board": "virt-a72"}, GOOD, "virt-a72 is a model"),
    ({"board": "nobodys"}, GOOD, "nobodys is a model"),
    ({"hz": 62_500_000}, GOOD, "CNTFRQ is 62500000 Hz; silicon of rpi4 has 54000000 Hz"),
    ({"cores": ["el2"]}, GOOD, "lists 1 cores; silicon of rpi4 lists 4"),
    ({"cores": ["el2"] * 8}, GOOD, "lists 8 cores; silicon of rpi4 lists 4"),
    # QEMU's imx8mp-evk by the host's clock has the board's counter and cores.
    ({"board": "imx8mp", "hz": 8_000_000, "cores": ["el2"]},
     [*without(GOOD[0]), step(999_810_182), step(1_000_000_000), step(1_000_179_957)],
     "runs at 1000000000 Hz, as that of QEMU"),
    ({}, without(GOOD[0]), "no record has the rate of the cycle counter")])
def test_an_emulator_decides_nothing_whatever_its_record_names(run, records, evidence):
    for logs in ([Fake(*records, **run)], [Fake(*GOOD, **run), Fake(*records, **run)]):
        found = found_of(*logs)
        assert {one.verdict for one in found} == {OPEN}
        assert all(evidence in one.evidence for one in found), found[0].evidence


@pytest.mark.parametrize("hz, cpu_hz", [(HZ, 1_008_000_000), (HZ + 50_000, CPU_HZ)])
def test_a_clock_near_to_qemus_and_a_rounded_rate_are_silicons(hz, cpu_hz):
    rows = [one | {"cycles_p50": round(one["p50"] * cpu_hz / hz) + 1} if "cycles_p50" in one else
            one for one in without(GOOD[0])]
    assert verdict_of(RPI4, *rows, step(cpu_hz), hz=hz) == CONFIRMED


def test_a_confirmed_board_claims_the_first_free_spi_alone():
    found = found_of(Fake(*GOOD, pages("native"), pages("trapped"), **AS_ZCU102))
    evidence = next(one for one in found if one.row == ZCU102).evidence
    assert "the first of 6 free SPIs is quiet" in evidence
    assert "Not seen: the other SPIs, reset" in evidence


def test_each_board_with_a_row_has_the_rate_and_the_cores_of_its_silicon():
    boards = {name: Board.of(HOME / "boards" / name) for name in Tree().boards()}
    assert {name: (one.counter_hz, one.cores, one.reporting) for name, one in boards.items()
            if one.counter_hz} == {
        "rpi4": (54_000_000, 4, 4), "arndale": (24_000_000, 2, 2),
        "orangepi-pc": (24_000_000, 4, 1), "imx8mp": (8_000_000, 4, 1),
        "zcu102": (100_000_000, 4, 1), "versal": (100_000_000, 2, 1)}


def test_each_row_of_caveats_has_a_decision_and_a_place_for_the_board():
    text = (HOME / "CAVEATS.md").read_text().split("## Unverified on silicon")[1]
    table = [line for line in text.split("\n## ")[0].splitlines() if line.startswith("| ")]
    assert table[0].split(" | ")[-1] == "confirmed on |"
    rows = table[1:]
    assert len(rows) == len(DECISIONS)
    for row, begin in zip(rows, DECISIONS):
        assert row.startswith(f"| {begin}"), row
        assert len(re.findall(r"(?<!\\)\|", row)) == 5, row


# ---- the command

@pytest.fixture(name="kept")
def a_kept_run(bench):
    (bench.root / "run.jsonl").write_bytes(log_of(sample_run("silicon")))
    return bench


def test_the_report_has_the_verdicts_and_no_names(kept):
    console = kept.root / "console"
    console.write_bytes(b"U-Boot 2023.01 (Jan 01 2023) by ann@host.example\r\nEthernet 10.0.0.7\r\n"
                        b"NOTICE:  BL31: v2.8(release):1b0c\r\nserial# 1234abcd\r\n")
    out = kept.root / "report.json"
    result = kept("silicon-report", str(kept.root / "run.jsonl"), "--console", str(console),
                  "--firmware", "EEPROM of /Users/ann/x", "-o", str(out))
    assert result.exit_code == 0, result.output
    report = json.loads(out.read_text())
    assert report["firmware"] == ["U-Boot 2023.01 (Jan 01 2023) by <removed>",
                                  "NOTICE:  BL31: v2.8(release):1b0c", "EEPROM of <removed>"]
    assert report["board"]["board"] == "virt-a72" and len(report["rows"]) == len(DECISIONS)
    assert read_log(report["runs"][0]["records"].encode()).complete
    assert f"{len(DECISIONS)} not decidable here" in result.output


def test_a_run_that_is_not_sound_and_another_board_are_refused(kept):
    whole = (kept.root / "run.jsonl").read_bytes()
    kept.write("cut.jsonl", whole.decode()[:len(whole) // 2])
    result = kept("silicon-report", str(kept.root / "cut.jsonl"))
    assert result.exit_code == 1 and "only a sound run decides" in result.output
    bodies = sample_run("silicon")
    (kept.root / "other.jsonl").write_bytes(log_of([bodies[0] | {"board": "rpi4"}, *bodies[1:]]))
    result = kept("silicon-report", str(kept.root / "run.jsonl"), str(kept.root / "other.jsonl"))
    assert result.exit_code == 2 and "several boards: rpi4, virt-a72" in result.output


def test_addresses_and_serial_numbers_are_removed():
    assert anonymous("mac dc:a6:32:01:02:03 ip 192.168.1.20 Serial Number: 10000000abcd end") == (
        "mac <removed> ip <removed> <removed> end")
    assert firmware_of("hello\nNet: eth0\n") == []
