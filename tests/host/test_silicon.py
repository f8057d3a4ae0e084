# SPDX-License-Identifier: Apache-2.0
"""`hypbench silicon-report`: each verdict comes from records that a board could have made, and from
records that differ from these in one thing. Records of an emulator give no verdict."""

import json
import re

import pytest

import golden
from hypbench.records import read_log
from hypbench.silicon import DECISIONS, GIC_400, Board, Verdict, findings
from hypbench.tree import HOME, Tree
from logmaker import log_of, sample_run

HZ, CPU_HZ = 54_000_000, 1_500_000_000
RATE = CPU_HZ / HZ
BOARD = {"board": "rpi4", "hz": HZ, "cores": ["el2"] * 4, "entry_level": "el2",
         "entry_sctlr": "0x0", "platform": "silicon", "plan": "silicon"}
# The values of other boards on silicon, whose firmware starts the other cores by PSCI.
AS_ZCU102 = {"board": "zcu102", "hz": 99_990_005, "cores": ["el2"]}
AS_VERSAL = {"board": "versal", "hz": 100_000_000, "cores": ["el2"]}


class Fake:
    """A log of these records; other tests cover the rules of a sound log."""

    def __init__(self, *records: dict, **run):
        self.run = BOARD | run
        self.records = records

    def of_kind(self, kind: str) -> list[dict]:
        return [record for record in self.records if record["kind"] == kind]


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


def without(*removed: dict) -> list[dict]:
    return [record for record in GOOD if record not in removed]


def of_clock(hz: int, cpu_hz: int) -> tuple[list[dict], dict]:
    """Return the good records of a board whose counter and core have these rates."""
    rows = [record | {"cycles_p50": round(record["p50"] * cpu_hz / hz) + 1}
            if "cycles_p50" in record else record for record in without(GOOD[0])]
    return [*rows, step(cpu_hz)], {"hz": hz}


PAGES = [*GOOD, pages("native"), pages("trapped")]
# The records, and changes of the run record. Only records of a board's own silicon decide.
RUNS: dict[str, tuple[list[dict], dict]] = {
    "good": (GOOD, {}), "steps alone": ([step()], {}),
    "cycles at another rate": ([*GOOD, row_of("trapped", "sysreg", 100, cycles_p50=2500)], {}),
    "half the clock": ([*GOOD, step(CPU_HZ // 2)], {}),
    "cold caches as warm ones": ([*without(GOOD[2]), row_of("cold-caches", "hvc", 41)], {}),
    "events of a group are missing": (without(*EVENTS[:1]), {}),
    "events of a group are zero": ([*without(*EVENTS[:1]), events("tlb", 0)], {}),
    "a wrong outcome with barriers": ([*GOOD, litmus("post-barrier", wrong=1)], {}),
    "no plain message passing": (without(litmus("mp-plain", relaxed=3)), {}),
    "no relaxed outcome": ([*without(litmus("sb-plain", relaxed=900)),
                            litmus("sb-plain", relaxed=0)], {}),
    "no run with barriers": ([step(), litmus("mp-plain", relaxed=3),
                              litmus("sb-plain", relaxed=900)], {}),
    "a forged log": ([{"kind": "check", "bench": "litmus", "variant": "mp-plain"},
                      {"kind": "check", "variant": "answers"}, step()], {}),
    "a lost answer": ([*GOOD, answers(1000, 999)], {}),
    "a wrong answer": ([*GOOD, answers(1000, 1000, 1)], {}),
    "caches on at the entry": (GOOD, {"entry_sctlr": "0x30c51835"}),
    "entered at EL3": (GOOD, {"entry_level": "el3"}),
    "a core is absent": (GOOD, {"cores": ["el2", "absent", "el2", "el2"]}),
    "an SPI is a device's": ([*GOOD, {"kind": "skip", "reason": "INTID 97 is pending by itself: a"
                                      " device has it"}], {}),
    "no interrupt": (without(GOOD[4]), {}),
    "zcu102": (PAGES, AS_ZCU102), "zcu102 without pages": (GOOD, AS_ZCU102),
    "zcu102 without trapped pages": ([*GOOD, pages("native")], AS_ZCU102),
    "zcu102 with no GIC-400 trapped": ([*GOOD, pages("native"), pages("trapped", 0)], AS_ZCU102),
    "zcu102 with another GIC": ([*GOOD, pages("native", 0x2043b), pages("trapped")], AS_ZCU102),
    "versal": (GOOD, AS_VERSAL), "a clock near to QEMU's": of_clock(HZ, 1_008_000_000),
    "a rounded rate": of_clock(HZ + 50_000, CPU_HZ)}
# Records of an emulator, whatever board they name.
EMULATED: dict[str, tuple[list[dict], dict]] = {
    "qemu-icount": (GOOD, {"platform": "qemu-icount"}), "gem5": (GOOD, {"platform": "gem5"}),
    "multiples of 16": ([record | {"cycles_p50": record["p50"] * 16}
                         if "cycles_p50" in record else record for record in GOOD], {}),
    "virt-a72": (GOOD, {"board": "virt-a72"}), "no board": (GOOD, {"board": "nobodys"}),
    "another rate": (GOOD, {"hz": 62_500_000}), "one core": (GOOD, {"cores": ["el2"]}),
    "eight cores": (GOOD, {"cores": ["el2"] * 8}),
    # QEMU's imx8mp-evk with the host's clock has the board's counter and cores.
    "imx8mp by QEMU": ([*without(GOOD[0]), step(999_810_182), step(1_000_000_000),
                        step(1_000_179_957)],
                       {"board": "imx8mp", "hz": 8_000_000, "cores": ["el2"]}),
    "no rate of cycles": (without(GOOD[0]), {})}


def verdicts_of(*logs: Fake) -> golden.Grid:
    rows = findings(logs, Board.of(HOME / "boards" / logs[0].run["board"]))
    return [[finding.row, str(finding.verdict), finding.evidence] for finding in rows]


@pytest.mark.parametrize("name", RUNS)
def test_a_row_is_decided_by_its_evidence(name):
    """golden/silicon.json has the verdicts and their evidence."""
    records, run = RUNS[name]
    golden.check_case("silicon", name, {"rows": verdicts_of(Fake(*records, **run))})


@pytest.mark.parametrize("name", EMULATED)
def test_an_emulator_decides_nothing_whatever_its_record_names(name):
    records, run = EMULATED[name]
    alone = verdicts_of(Fake(*records, **run))
    beside = verdicts_of(Fake(*GOOD, **run), Fake(*records, **run))
    assert {verdict for _, verdict, _ in alone + beside} == {str(Verdict.OPEN)}
    golden.check_case("silicon", name, {"first row": [alone[0], beside[0]]})


def test_each_board_with_a_row_has_the_rate_and_the_cores_of_its_silicon():
    boards = {name: Board.of(HOME / "boards" / name) for name in Tree().boards()}
    assert {name: (board.counter_hz, board.cores, board.reporting) for name, board in boards.items()
            if board.counter_hz} == {
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

@pytest.fixture(name="with_run")
def a_kept_run(bench):
    (bench.root / "run.jsonl").write_bytes(log_of(sample_run("silicon")))
    return bench


def test_the_report_has_the_verdicts_and_no_names(with_run):
    console = with_run.root / "console"
    console.write_bytes(b"U-Boot 2023.01 (Jan 01 2023) by ann@host.example\r\nEthernet 10.0.0.7\r\n"
                        b"NOTICE:  BL31: v2.8(release):1b0c\r\nserial# 1234abcd\r\n"
                        b"U-Boot 2024.01 mac dc:a6:32:01:02:03 ip 192.168.1.20"
                        b" Serial Number: 10000000abcd\r\n")
    out = with_run.root / "report.json"
    result = with_run("silicon-report", str(with_run.root / "run.jsonl"), "--console", str(console),
                      "--firmware", "EEPROM of /Users/ann/x", "-o", str(out))
    assert result.exit_code == 0, result.output
    report = json.loads(out.read_text())
    assert report["firmware"] == ["U-Boot 2023.01 (Jan 01 2023) by <removed>",
                                  "NOTICE:  BL31: v2.8(release):1b0c",
                                  "U-Boot 2024.01 mac <removed> ip <removed> <removed>",
                                  "EEPROM of <removed>"]
    assert report["board"]["board"] == "virt-a72" and len(report["rows"]) == len(DECISIONS)
    assert read_log(report["runs"][0]["records"].encode()).complete
    assert f"{len(DECISIONS)} not decidable here" in result.output


def test_a_run_that_is_not_sound_and_another_board_are_refused(with_run):
    whole = (with_run.root / "run.jsonl").read_bytes()
    with_run.write("cut.jsonl", whole.decode()[:len(whole) // 2])
    result = with_run("silicon-report", str(with_run.root / "cut.jsonl"))
    assert result.exit_code == 1 and "only a sound run decides" in result.output
    bodies = sample_run("silicon")
    (with_run.root / "other.jsonl").write_bytes(log_of([bodies[0] | {"board": "rpi4"},
                                                        *bodies[1:]]))
    result = with_run("silicon-report", str(with_run.root / "run.jsonl"),
                      str(with_run.root / "other.jsonl"))
    assert result.exit_code == 2 and "several boards: rpi4, virt-a72" in result.output
