# SPDX-License-Identifier: Apache-2.0
"""Runs with known numbers, of the plans that have tables of their own."""

from hypbench.records import Log, read_log
from logmaker import (HZ, NATIVE, PHASES, TRAPPED, bench_record, calibration, checked,
                      exits_record, log_of, plan_run, stamped, waterfall)

DIRECT = {"name": "direct"}
STATS = TRAPPED | {"name": "trapped-stats", "stats": "on"}
GRAINS = ("4K", "2M", "1G")
LEVELS = {"off": 0, "4K": 3, "2M": 2, "1G": 1}  # levels of stage 1 or stage 2, by grain


def log_from(bodies: list[dict]) -> Log:
    log = read_log(log_of(bodies))
    assert log.problems == []
    return log


def programs() -> list[dict]:
    """Return two programs. Natively each has 4 warm runs of 10000 ticks and a cold one of 10500;
    the VM takes 1000 more, 900 of them in 9 hvc and 1 irq exits."""
    def run(head, config):
        more = {"native": 0, "trapped": 1000, "trapped-stats": 1800}[config["name"]]
        records = [calibration(head),
                   bench_record(head, "run", [10_002 + more] * 4, cold=10_500 + more),
                   checked(head, "checksum", checksum=7)]
        if config["stats"] == "on":
            records += [exits_record(head, "hvc", [80] * 45), exits_record(head, "irq", [180] * 5)]
        return records

    return plan_run([NATIVE, TRAPPED, STATS], {"prog_options": run, "loop_int": run})


def interrupts() -> list[dict]:
    """Return eight phases of 10, 11 … 17 ticks, natively four; a probe costs 3."""
    def run(head, config):
        names = PHASES[4:] if config["name"].startswith("native") else PHASES
        raw = {name: [10 + number] * 50 for number, name in enumerate(names)}
        probes = config["probes"] == "on"
        costs = [calibration(head), bench_record(head, "probe-el1", [5] * 50),
                 bench_record(head, "probe-el2", [6] * 50)]
        return [*waterfall(head, "timer", raw, probes, 3),
                *waterfall(head, "device", raw, probes, 3), *(costs if probes else [])]

    configs = [one | {"name": one["name"] + more, "probes": probes} for one in (NATIVE, TRAPPED)
               for more, probes in (("", "off"), ("-probes", "on"))]
    return plan_run(configs, {"irq_phases": run})


def matrix(platform: str = "silicon", error: int = 0) -> list[dict]:
    """Return a matrix in which a load costs 4 ticks, and one more for each walk reference if it
    misses."""
    def run(head, config):
        s1, s2 = LEVELS[config["stage1"]], LEVELS[config["stage2"]]
        refs = (s1 + 1) * (s2 + 1) - 1
        model = {"s1_levels": s1, "s2_levels": s2, "walk_refs": refs, "batch": 256}
        off = error if config["stage2"] == "4K" else 0
        return [calibration(head)] + [
            bench_record(head, f"{shape}-{pages}p",
                         [2 + 256 * (4 + (refs + off if shape == "random" and pages > 64 else 0))]
                         * 20, pages=pages, **model)
            for pages in (64, 4096, 65536) for shape in ("random", "seq", "packed")]

    configs = [{"name": f"{s1}-{s2}", "stage1": s1, "stage2": s2} for s1 in GRAINS
               for s2 in ("off", *GRAINS)]
    return plan_run(configs, {"tlb_chase": run}, platform=platform)


def wakeups(n: int = 100) -> list[dict]:
    """Return wake-ups of 90 ticks natively, once 95; the VM takes 60 more."""
    def run(head, config):
        more = 0 if config["name"] == "native" else 60
        return [stamped(head, variant, [90 + more] * (n - 1) + [95 + more], period=HZ * 3 // 100)
                for variant in ("periodic", "oneshot")]

    return plan_run([NATIVE, DIRECT, TRAPPED], {"cyclic": run}, order="once")


def switches() -> list[dict]:
    """Return every switch of trapped: a full frame costs 20 ticks more, cold caches 7, others
    nothing."""
    def run(head, config):
        ticks = 50 + 20 * (config["frame"] == "full") + 7 * (config["state"] == "cold-caches")
        return [calibration(head), bench_record(head, "null", [ticks] * 30),
                bench_record(head, "unknown", [ticks, ticks + 8] * 20)]

    return plan_run([TRAPPED, TRAPPED | {"name": "full", "frame": "full"},
                     TRAPPED | {"name": "quiet", "wfi": "trapped"},
                     TRAPPED | {"name": "cold", "state": "cold-caches"}], {"hvc": run})


def storm(counts=(1, 6)) -> list[dict]:
    """Return a storm whose i-th handler comes after 100 i ticks, and with trapped interrupts 50
    later after the fourth."""
    def run(head, config):
        late = 50 if config["irq"] == "trapped" else 0
        return [stamped(head, f"{count}-{i}", [100 * i + (late if i > 4 else 0)] * 20,
                        pended=count, position=i)
                for count in counts for i in range(1, count + 1)]

    return plan_run([NATIVE, TRAPPED], {"irq_storm": run})


def boots() -> list[dict]:
    """Return starts; a lazy start faults 5 times for 1500 ticks."""
    def run(head, config):
        lazy = config["fill"] == "lazy"
        return [checked(head, "start", start_ticks=9500 if lazy else 8000,
                        build_ticks=10 if lazy else 4000, faults=5 * lazy, fault_ticks=1500 * lazy,
                        fault_min=200 * lazy, fault_max=500 * lazy, touched_pages=40)]

    return plan_run([TRAPPED, TRAPPED | {"name": "lazy", "fill": "lazy"}], {"stage2_boot": run})
