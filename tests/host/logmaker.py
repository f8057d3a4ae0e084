# SPDX-License-Identifier: Apache-2.0
"""Make logs as the target prints them: a whole small run, which tests can damage."""

import json
import statistics
import zlib
from collections import Counter

from hypbench.records import Log, read_log

HZ = 62_500_000
PERCENTILES = (("p90", 900, 10), ("p95", 950, 20), ("p99", 990, 100), ("p999", 999, 1000))
CONFIGS = ("native", "direct", "trapped")
SHAPE = {"name": "", "stage1": "4K", "stage2": "2M", "fill": "eager", "colouring": "off",
         "irq": "direct", "lr": "hw", "lr_sync": "lazy", "eoi": "combined",
         "wfi": "native", "traps": "on", "frame": "light",
         "fp": "static", "sched": "null", "errata": "applied", "state": "warm",
         "stats": "off", "trace": "off", "probes": "off", "cycles": "auto", "events": "off",
         "cntp": "passthrough", "vtimer": "idle",
         "beside": "none", "delay_el2": 0, "slice_us": 0, "vcpus": 0,
         "cntvoff_us": 0}
NATIVE = {"name": "native", "stage2": "off", "traps": "off"}
TRAPPED = {"name": "trapped", "irq": "trapped"}


def frame(seq: int, body: dict) -> bytes:
    text = json.dumps({"seq": seq} | body, separators=(",", ":")).encode()[:-1]
    return text + b',"crc":"%08x"}' % zlib.crc32(text)


def log_of(bodies: list[dict], line_end: bytes = b"\r\n") -> bytes:
    return b"".join(frame(seq, body) + line_end for seq, body in enumerate(bodies))


def log_from(bodies: list[dict]) -> Log:
    log = read_log(log_of(bodies))
    assert log.problems == []
    return log


def lower_edge(value: int) -> int:
    shift = max(value.bit_length() - 9, 0)
    return value >> shift << shift


def upper_edge(value: int) -> int:
    shift = max(value.bit_length() - 9, 0)
    return ((value >> shift) + 1 << shift) - 1


def bench_record(step: dict, variant: str, raw: list[int], overhead: int = 2,
                 cold: int | None = None, **more) -> dict:
    """Return the statistics that a target prints for these raw values."""
    values = sorted(raw)
    inside = [value for value in values if value < 1 << 32]
    n = len(values)

    def percentile(permille: int) -> int:
        value = values[max(-(-n * permille // 1000), 1) - 1]
        return (min(max(upper_edge(value), values[0]), values[-1]) if value < 1 << 32
                else values[-1])

    net = [value - overhead for value in values]
    return (step | {"kind": "bench", "variant": variant, "unit": "ticks", "clock": "cntpct",
                    "hz": HZ, "window": "pair", "batch": 1, "n": n,
                    "cold": max(net) + 7 if cold is None else cold, "min": net[0],
                    "mean": round(statistics.fmean(net), 3),
                    "stddev": round(statistics.pstdev(net), 3), "p50": percentile(500) - overhead}
            | {name: percentile(permille) - overhead for name, permille, need in PERCENTILES
               if n >= need}
            | {"max": net[-1], "overhead": overhead, "raw_min": values[0],
               "raw_p50": percentile(500), "raw_max": values[-1],
               "hist": sorted([edge, count] for edge, count
                              in Counter(map(lower_edge, inside)).items()),
               "overflow": n - len(inside)} | more)


def with_cycles(record: dict, raw: list[int], overhead: int, cold: int | None = None) -> dict:
    """Return the record with a second clock's values of the same samples."""
    second = bench_record({}, "", raw, overhead, cold)
    names = ("cold", "min", "mean", "stddev", "p50", "p90", "p95", "p99", "p999", "max", "overhead",
             "hist", "overflow")
    return record | {f"cycles_{name}": second[name] for name in names if name in second}


def calibration(step: dict, overhead: int = 2, **more) -> dict:
    return step | {"kind": "calibration", "unit": "ticks", "clock": "cntpct", "hz": HZ, "n": 100,
                   "min": overhead, "p50": overhead, "max": overhead, "stable": True} | more


def run_record(steps: int, platform: str = "qemu-icount", configs=CONFIGS, **more) -> dict:
    """Return a run record. A configuration is a name, or a dict of a name and the axes that differ
    from SHAPE."""
    return {"kind": "run", "board": "virt-a72", "isa": "armv8", "gic": "v2", "lr_count": 4,
            "cpu": "0x410fd083", "clock": "cntpct", "hz": HZ, "platform": platform,
            "build": "v0-3-gabc", "compiler": "gcc 12.2", "plan": "sample", "order": "abba",
            "limit_ms": 20000, "steps": steps,
            "configs": [SHAPE | ({"name": config} if isinstance(config, str) else config)
                        for config in configs]} | more


def step_head(number: int, in_pass: int, config: str, bench: str) -> dict:
    return {"kind": "", "step": number, "pass": in_pass, "config": config, "bench": bench}


def end_record(count: int, **more) -> dict:
    return {"kind": "end", "records": count, "faults": 0, "errors": 0, "status": "ok"} | more


def chase(step: dict, cost: dict[str, int]) -> list[dict]:
    """Return the records of a translation chase, with a variant for each shape and working set."""
    return walks(step, cost, 3, 0 if step["config"] == "native" else 2)


def walks(step: dict, cost: dict[str, int], s1: int, s2: int) -> list[dict]:
    """Return variants whose cost depends on translation, with `s1` and `s2` levels of tables."""
    return [bench_record(step, variant, [ticks] * 100, batch=512, s1_levels=s1, s2_levels=s2,
                         walk_refs=(s1 + 1) * (s2 + 1) - 1) for variant, ticks in cost.items()]


def step_records(step: dict, platform: str) -> list[dict]:
    index = CONFIGS.index(step["config"])
    if step["bench"] == "hvc":
        if step["config"] == "native":
            return [step | {"kind": "skip", "reason": "no hypercall without a hypervisor"}]
        return [calibration(step),
                bench_record(step, "null", [100 + index] * 900 + [600 + 10 * index] * 100)]
    if step["bench"] == "tlb_chase":
        slower = 300 * index + (400 if platform == "qemu-host" else 0)
        cost = {"packed-65536p": 1000, "random-65536p": 1000 + slower, "random-64p": 1000}
        return [calibration(step), *chase(step, cost)]
    return [calibration(step), bench_record(step, "ppi", [50 + index, 60 + index] * 100),
            step | {"kind": "check", "variant": "count", "ok": True, "fired": 200, "handled": 200}]


def plan_run(configs: list[dict], benches: dict, order: str = "abba", **run) -> list[dict]:
    """Return a run of any plan. Each benchmark is a function that takes a step's head and
    configuration, and returns the step's records."""
    plan = [(in_pass, config, bench) for bench in benches
            for in_pass in ((0, 1) if order == "abba" else (0,))
            for config in (configs if in_pass == 0 else reversed(configs))]
    bodies = [run_record(len(plan), configs=configs, order=order, **run)]
    for number, (in_pass, config, bench) in enumerate(plan):
        head = step_head(number, in_pass, config["name"], bench)
        bodies += benches[bench](head, SHAPE | config)
        bodies.append(head | {"kind": "step", "steps": len(plan), "outcome": "done",
                              "ticks": 5000, "smc": 0})
    return [*bodies, end_record(len(bodies) + 1)]


def checked(head: dict, variant: str, **members) -> dict:
    return head | {"kind": "check", "variant": variant, "ok": True} | members


def stamped(head: dict, variant: str, raw: list[int], **members) -> dict:
    """Return a bench record without a calibration, whose window leads from a compare value to a
    stamp."""
    return bench_record(head, variant, raw, overhead=0, window="cval", **members)


def exits_record(head: dict, kind: str, ticks: list[int]) -> dict:
    counts = Counter(map(lower_edge, ticks))
    return head | {"kind": "exits", "exit": kind, "n": len(ticks), "total": sum(ticks),
                   "min": min(ticks), "max": max(ticks), "overflow": 0,
                   "mean": round(statistics.fmean(ticks), 3), "hist": sorted(map(list,
                                                                                 counts.items()))}


PHASES = ("el2-vector", "acknowledged", "injected", "eret", "el1-vector", "handler", "eoi", "task")


def waterfall(head: dict, source: str, raw: dict[str, list[int]], probes: bool = True,
              slower: int = 0) -> list[dict]:
    """Return the total of phases, and with probes each of them; a probe costs `slower` in the
    total."""
    total = [sum(column) + (slower if probes else 0) for column in zip(*raw.values())]
    records = [stamped(head, f"{source}-total", total, phases=len(raw))]
    if probes:
        first, *others = raw.items()
        phases = [(first[0], [value + slower for value in first[1]]), *others]
        records += [stamped(head, f"{source}-{name}", values, phase=number, phases=len(raw))
                    for number, (name, values) in enumerate(phases, 1)]
    return records


def sample_run(platform: str = "qemu-icount", benches=("hvc", "irq", "tlb_chase")) -> list[dict]:
    """Return the bodies of a whole good run, in the order A B B A."""
    plan = [(in_pass, config, bench) for bench in benches for in_pass in (0, 1)
            for config in (CONFIGS if in_pass == 0 else reversed(CONFIGS))]
    bodies = [run_record(len(plan), platform)]
    for number, (in_pass, config, bench) in enumerate(plan):
        head = step_head(number, in_pass, config, bench)
        bodies += step_records(head, platform)
        bodies.append(head | {"kind": "step", "steps": len(plan), "outcome": "done",
                              "ticks": 5000 + number, "smc": 0})
    return [*bodies, end_record(len(bodies) + 1)]
