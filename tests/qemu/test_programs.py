# SPDX-License-Identifier: Apache-2.0
"""Whole programs have the same results in every configuration, and the instructions of their exits
explain all of their slowdown."""

import re
import shutil
import subprocess
from itertools import product

import pytest

from hypbench.analysis.programs import splits
from lab import TREE, Job, board_facts
from planlines import plan_lines
from proofs import DELAYS, assert_delay_is_seen, delay_lines, proven_in

PROVEN = proven_in("test_programs")
LOOPS = ("loop_int", "loop_fp")
TICKING = tuple(name for name in PROVEN if name not in LOOPS)
WITHOUT_OUTPUT = tuple(name for name in TICKING if name != "prog_dedup")

PERIOD_TICKS = 62500  # 1 ms, the default of period_us for programs
EL2_DELAY = 100
LOOP_INSTRUCTIONS = 800_000  # guest/programs/loops.c, guest_arch/work.h

# n=1 makes the cold run and a warm one, so that both lengths are known, not only a mean.
PLAN = f"""order once
config native
config direct
config trapped
config late trapped delay_el2={EL2_DELAY}
config stats trapped stats=on
config trapped-sw
config full trapped frame=full
""" + "".join(f"bench {name} n=1\n" for name in PROVEN) + "bench timer_wakeup n=20\n"

# Checksums for seed 1. The doubles of two programs and the integers of a loop differ between isas.
# The checksums of prog_options differ between two C libraries for ARMv7.
CHECKSUMS = {"loop_fp": {0x8cdbaeb5}, "prog_clusters": {0x7b270f9e}, "prog_dedup": {0xdaa90468},
             "prog_fluid": {0xe38db24f}, "prog_itemsets": {0x88347181},
             "prog_similarity": {0x388f1680}}
CHECKSUMS_OF_ISA = {
    "armv8": {"loop_int": {0x7619ff76}, "prog_options": {0x994b9e81},
              "prog_particles": {0xb6980730}},
    "armv7": {"loop_int": {0x36b78418}, "prog_options": {0x5ce74cf4, 0x3915e556},
              "prog_particles": {0xbdd74e62}},
}

NO_TICK = "period_us=60000000"  # a minute, so that no tick comes while a program runs

QUIET = f"""order once
config native
config direct
config direct-late direct delay_el2={EL2_DELAY}
config trapped
""" + "".join(f"bench {name} n=1 {NO_TICK}\n" for name in PROVEN)

PROOF = "order once\nconfig native\nconfig trapped\n" + "".join(
    delay_lines(name, f"n=1 {NO_TICK}") for name in PROVEN)


EXITING = "prog_dedup"  # the program with the most exits
GRAINS = "\n".join(line for line in plan_lines("paper-s3-timed").splitlines()
                   if not line.startswith("bench") or EXITING in line)


def check_of(result, variant: str, bench: str, config: str) -> dict:
    return result.record("check", variant=variant, bench=bench, config=config)


def warm_raw(result, bench: str, config: str) -> int:
    record = result.record("bench", bench=bench, config=config)
    assert record["raw_min"] == record["raw_max"], "n=1"
    return record["raw_min"]


def cold_raw(result, bench: str, config: str) -> int:
    record = result.record("bench", bench=bench, config=config)
    return record["cold"] + record["overhead"]


def ticks_in(length: int, first: int) -> int:
    return 0 if length < first else (length - first) // PERIOD_TICKS + 1


def warm_ticks(result, bench: str, config: str) -> int:
    """Return the ticks of the last run; its first tick comes a whole period after its start."""
    return ticks_in(warm_raw(result, bench, config), PERIOD_TICKS)


def checksums(result) -> dict[str, set[int]]:
    sums: dict[str, set[int]] = {}
    for record in result.records("check", variant="checksum"):
        sums.setdefault(record["bench"], set()).add(record["checksum"])
    return sums


def irq_path(result, config: str = "trapped") -> int:
    """Return the instructions at EL2 for a timer interrupt: the length of timer_wakeup beyond the
    native one."""
    at = {name: result.record("bench", bench="timer_wakeup", variant="busy-vector", config=name)
          for name in ("native", config)}
    assert at[config]["min"] == at[config]["max"]
    return at[config]["min"] - at["native"]["min"]


@pytest.mark.job(PLAN)
def test_checksums_are_equal_in_every_configuration(result, board):
    known = CHECKSUMS | CHECKSUMS_OF_ISA[board_facts(board)["ISA"]]
    sums = checksums(result)
    assert sums.keys() == known.keys()
    assert [bench for bench, values in sums.items()
            if len(values) != 1 or not values <= known[bench]] == []


@pytest.mark.job(PLAN)
def test_loops_take_equally_long_everywhere(result):
    for bench in LOOPS:
        lengths = {raw(result, bench, config) for config in result.configs
                   for raw in (warm_raw, cold_raw)}
        assert len(lengths) == 1, (bench, lengths)
        assert LOOP_INSTRUCTIONS <= lengths.pop() <= LOOP_INSTRUCTIONS + 30, bench
        assert not result.records("check", bench=bench, variant="ticks")


@pytest.mark.job(PLAN)
def test_ticks_are_what_the_time_says(result):
    for bench, config in product(TICKING, result.configs):
        check = check_of(result, "ticks", bench, config)
        assert (check["period_ticks"], check["overrun"]) == (PERIOD_TICKS, 0)
        known = (ticks_in(cold_raw(result, bench, config), PERIOD_TICKS // 2) +
                 warm_ticks(result, bench, config))
        assert abs(check["ticks"] - known) <= 2, (bench, config)  # at most one in each run
        assert check["ticks"] >= 15, (bench, config)


@pytest.mark.job(PLAN)
def test_direct_takes_as_long_as_native(result):
    for bench in WITHOUT_OUTPUT:
        for raw in (warm_raw, cold_raw):
            assert raw(result, bench, "direct") == raw(result, bench, "native"), bench


@pytest.mark.job(PLAN)
def test_slowdown_is_what_the_exits_execute(lab, board, result):
    """Each tick is one interrupt, and there is no other exit. If a run is so much longer that it
    contains one more tick, the guest's own handler runs once more, too."""
    quiet = lab.run(Job(board, QUIET))
    for bench in WITHOUT_OUTPUT:
        check_slowdown(result, quiet, bench)


def check_slowdown(result, quiet, bench: str) -> None:
    ticks = {config: warm_ticks(result, bench, config) for config in result.configs}
    handlers = warm_raw(result, bench, "native") - warm_raw(quiet, bench, "native")
    assert handlers % ticks["native"] == 0 < handlers
    assert irq_path(result, "full") > irq_path(result) > 0
    for config, path in (("trapped", irq_path(result)), ("late", irq_path(result) + EL2_DELAY),
                         ("full", irq_path(result, "full"))):
        more = ticks[config] - ticks["native"]
        assert more in (0, 1), (bench, config)
        slowdown = warm_raw(result, bench, config) - warm_raw(result, bench, "native")
        assert slowdown == (ticks[config] * path
                            + more * handlers // ticks["native"]), (bench, config)


@pytest.mark.job(PLAN)
def test_exits_are_counted(result):
    for bench in TICKING:
        ticks = check_of(result, "ticks", bench, "stats")["ticks"]
        exits = {record["exit"]: record for record in result.records("exits", bench=bench)}
        assert exits["irq"]["n"] == ticks, bench
        assert exits["irq"]["total"] > 0
    written = check_of(result, "device", "prog_dedup", "stats")["written"]
    assert result.record("exits", bench="prog_dedup", exit="mmio-write")["n"] == written


@pytest.mark.job(QUIET)
def test_without_ticks_only_device_writes_take_time(result):
    for bench in PROVEN:
        native, *others = (warm_raw(result, bench, config) for config in result.configs)
        assert others == [native] * 3 or bench == "prog_dedup", bench
    native, direct, late, trapped = (warm_raw(result, "prog_dedup", config)
                                     for config in result.configs)
    words = check_of(result, "device", "prog_dedup", "direct")["written"] // 2  # sum of two runs
    assert late - direct == EL2_DELAY * words
    for emulated in (direct, trapped):
        assert emulated - native > 20 * words
        assert (emulated - native) % words == 0, "every write takes as long"


@pytest.mark.job(PLAN)
def test_device_has_what_was_written(result):
    for config in result.configs:
        checks = result.records("check", variant="device", bench="prog_dedup", config=config)
        assert len(checks) == (config != "native")
        for check in checks:
            assert check["count"] == check["written"] > 1000
            assert check["sum"] == check["written_sum"]


@pytest.mark.job(PROOF)
def test_known_delay_is_seen_exactly(result):
    for index in range(len(PROVEN)):
        assert_delay_is_seen(result, index * len(DELAYS))


# Nothing saves the FP registers of a program that an interrupt stops, so the kernel must use none.

OBJDUMPS = {"armv8": ("aarch64-none-elf-objdump", "aarch64-linux-gnu-objdump"),
            "armv7": ("arm-none-eabi-objdump",)}
FP_REGISTER = re.compile(r"\b[bhsdqv][0-9]{1,2}\b")


def output_of(*command) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def called_functions(nm: str, board: str) -> set[str]:
    """Return the undefined symbols of the guest's objects, without the programs."""
    folder = TREE.builds / board_facts(board)["ISA"] / "guest"
    programs = folder / "guest" / "programs"
    objects = [path for path in folder.rglob("*.o") if path.parent != programs]
    assert len(objects) > 20
    return set(re.findall(r"^ +U (\w+)$", output_of(nm, "-u", *objects), re.MULTILINE))


def disassembled(objdump: str, board: str) -> dict[str, str]:
    """Return the instructions without the names of their targets, because some names look like
    registers."""
    text = output_of(objdump, "-d", "--no-show-raw-insn", TREE.build(board) / "guest.elf")
    text = re.sub(r" <[^>\n]+>(?!:)", "", text)
    parts = re.split(r"^[0-9a-f]+ <(\S+)>:\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def test_kernel_reaches_no_fp_register(built):
    """Neither the kernel's own functions nor the functions of the C library that it calls use
    one."""
    objdump = next(filter(None, map(shutil.which, OBJDUMPS[board_facts(built)["ISA"]])))
    functions = disassembled(objdump, built)
    called = called_functions(objdump.replace("objdump", "nm"), built) & functions.keys()
    assert {"memcpy", "memset", "strlen", "gic_eoi"} <= called
    assert [name for name in sorted(called) if FP_REGISTER.search(functions[name])] == []
    assert FP_REGISTER.search(functions["options_run"]), "the detector sees them in a program"


@pytest.mark.job(GRAINS)
def test_under_icount_the_grain_of_stage_2_changes_no_program(result):
    """Plan paper-s3-timed is therefore for platforms whose ticks are time. The rest of the
    slowdown, beside the exits, is at most the cost of stats=on in each exit of the configuration
    with statistics (tests/qemu/test_stats.py)."""
    rows = {row.config: row for row in splits(result.log)}
    assert set(rows) == {"4K", "2M"}
    small, large = rows["4K"], rows["2M"]
    assert (small.vm, small.exit_count, small.exit_time) == (
        large.vm, large.exit_count, large.exit_time)
    assert small.exit_count > 1000 and abs(small.other_time) <= 40 * small.exit_count
