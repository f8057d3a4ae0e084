# SPDX-License-Identifier: Apache-2.0
"""Logs for tests of commands: runs of one benchmark with known lengths, whole and damaged, and
several runs in a log."""

import bz2
import gzip
import json
from collections.abc import Callable
from pathlib import Path

from logmaker import (NATIVE, TRAPPED, bench_record, calibration, checked, end_record,
                      exits_record, frame, log_of, plan_run, run_record, sample_run, stamped,
                      step_head, walks)
from reportlogs import bodies_of, gem5_log

BOOT = b"\r\nU-Boot 2023.01\r\n## Starting application at 0x40200000 ..."
STATS = TRAPPED | {"stats": "on"}


def run_with(ticks: int = 50, bench: str = "hvc", variant: str = "null", platform="qemu-icount",
             configs=(NATIVE, TRAPPED), make=None, overhead: int = 2, **run) -> list[dict]:
    def records(head, config):
        raw = [ticks + (config["name"] == "trapped")] * 20
        return [calibration(head, overhead),
                make(head, raw) if make else bench_record(head, variant, raw)]

    return plan_run(list(configs), {bench: records}, platform=platform, **run)


def null_record(**more) -> Callable:
    return lambda head, raw: bench_record(head, "null", raw, **more)


def clock_log(hz: int, platform: str = "qemu-icount") -> bytes:
    return log_of(run_with(platform=platform, hz=hz, make=null_record(hz=hz)))


def odd_rows_log(passes: tuple[int, ...] = (0, 1), **more) -> bytes:
    """Return a log in which the rows of `trapped` have these members in these passes."""
    return log_of([body | (more if (body["kind"], body.get("config")) == ("bench", "trapped")
                           and body["pass"] in passes else {}) for body in run_with()])


def samples_run(raw: list[int], platform: str = "qemu-icount", **more) -> list[dict]:
    return run_with(platform=platform, make=lambda head, _: bench_record(head, "null", raw), **more)


def variants_log(ticks: dict[str, int]) -> bytes:
    def records(head, config):
        return [calibration(head)] + [bench_record(head, variant, [raw] * 20)
                                      for variant, raw in ticks.items()]
    return log_of(plan_run([NATIVE], {"hvc": records}))


def run_of_vms(ticks: dict[str, int], configs=(NATIVE, STATS), measured_vm: str = "") -> list[dict]:
    """Return a run in which the VMs have these ticks; the first VM is the measured one."""
    def records(head, config):
        vm_records = []
        for vm, raw in ticks.items():
            vm_head = head | ({"vm": vm, "vcpu": 0} if vm else {})
            vm_records += [calibration(vm_head), bench_record(vm_head, "null", [raw] * 20),
                           checked(vm_head, "checksum", checksum=raw)]
            if config["stats"] == "on":
                vm_records.append(exits_record(vm_head, "hvc", [raw] * 5))
        return vm_records
    vm = measured_vm or next(iter(ticks))
    bodies = plan_run(list(configs), {"hvc": records})
    return [body | ({"vm": vm} if body["kind"] == "step" and vm else {}) for body in bodies]


def lines_of(ticks: int, build: str) -> list[bytes]:
    return log_of(run_with(ticks, build=build)).splitlines(keepends=True)


FIRST, SECOND, THIRD = lines_of(50, "first"), lines_of(70, "second"), lines_of(90, "third")
CUT = b"".join(FIRST[:5]) + FIRST[5][:40]
RESET = CUT + b"\0\xff" + BOOT + b"".join(SECOND)


def second_run_record() -> bytes:
    body = {name: value for name, value in json.loads(FIRST[0]).items()
            if name not in ("seq", "crc")}
    return b"".join([*FIRST[:3], frame(3, body) + b"\n", *FIRST[4:]])


def garbled(lines: list[bytes], at: int, old: bytes, new: bytes) -> bytes:
    return b"".join([*lines[:at], lines[at].replace(old, new), *lines[at + 1:]])


A, SLOW = log_of(run_with()), log_of(run_with(55))
TRAPPED_ALONE = log_of(run_with(configs=(TRAPPED,)))
VARIANTS = {"same": 50, "faster": 50, "slower": 50, "slowest": 50, "gone": 50}
TWO = run_of_vms({"left": 52, "right": 92})
SAMPLE = log_of(sample_run())
SAMPLE_LINES, TEXT = SAMPLE.splitlines(keepends=True), SAMPLE.decode()


def wrapped(content: bytes, width: int, line_end: bytes = b"\n") -> bytes:
    return b"".join(line[at:at + width] + line_end for line in content.splitlines()
                    for at in range(0, len(line), width))


def first_of_kind(raw: bytes, kind: bytes) -> int:
    return next(at for at, line in enumerate(raw.splitlines()) if b'"kind":"%s"' % kind in line)


def impossible_log() -> bytes:
    """Return a log in which the second record of a benchmark has a median that the histogram
    lacks."""
    bodies = run_with(configs=(TRAPPED,), order="once")
    at = first_of_kind(log_of(bodies), b"bench")
    return log_of([*bodies[:at], bodies[at] | {"p50": 500}, *bodies[at + 1:]])


def build_log(build: str) -> bytes:
    run, *others = bodies_of("tlb-matrix")
    return log_of([run | {"build": build}, *others])


def machine_log(machine: str) -> bytes:
    run, *others = sample_run("gem5")
    return log_of([run | {"machine": machine}, *others])


def refused_log() -> bytes:
    head = step_head(0, 0, "native", "hvx")
    return log_of([
        run_record(1, configs=("native",), order="once"),
        head | {"kind": "error", "where": "guest", "what": "no benchmark 'hvx'; valid: hvc"},
        head | {"kind": "step", "steps": 1, "outcome": "refused", "ticks": 10, "smc": 0},
        end_record(4, errors=1, status="failed")])


def traced_log(*exits: tuple[int, str]) -> bytes:
    """Return a log with trace records, each a begin and an event."""
    def records(head, _config):
        traces = [head | {"kind": "trace", "t": at, "dur": 5, "event": event, "arg": "0x0",
                          "vm": "bench", "vcpu": 0, "paused": int(event != "hvc")}
                  for at, event in exits]
        return [calibration(head), bench_record(head, "null", [50] * 20), *traces]
    return log_of(plan_run([TRAPPED | {"trace": "on"}], {"hvc": records}, order="once"))


# Latencies of chases of pages and of memory, and of refills after TLB maintenance, by the stage-1
# and stage-2 levels.
CHASES = {
    ("tlb_chase", "4K-off"): {"random-65536p": 500, "packed-65536p": 100},
    ("tlb_chase", "4K-2M"): {"random-65536p": 900, "packed-65536p": 100},
    ("tlb_chase", "2M-off"): {"random-65536p": 1200, "packed-65536p": 100,
                              "random-4096p": 500, "packed-4096p": 100},
    ("tlb_chase", "2M-2M"): {"random-65536p": 1000, "packed-65536p": 1001},
    ("lat_mem_rd", "4K-off"): {"random-262144K": 50, "seq-262144K": 20, "random-32768K": 10,
                               "seq-32768K": 20},
    ("tlb_maintenance", "4K-2M"): {"none-refill": 20, "all-refill": 30, "asid-refill": 20,
                                   "va-refill": 30, "switch-refill": 30}}
LEVELS = {"off": 0, "4K": 3, "2M": 2}


def chased_log(platform: str) -> bytes:
    bodies = [run_record(len(CHASES), platform, tuple({config: 0 for _, config in CHASES}))]
    for number, ((bench, config), variants) in enumerate(CHASES.items()):
        s1, s2 = (LEVELS[word] for word in config.split("-"))
        head = step_head(number, 0, config, bench)
        bodies += [*walks(head, variants, s1, s2),
                   head | {"kind": "step", "steps": len(CHASES), "outcome": "done", "ticks": 10,
                           "smc": 0}]
    return log_of([*bodies, end_record(len(bodies) + 1)])


# The null call of after-release is two instructions longer than that of release 0.1.0.
LOGS: dict[str, bytes] = {
    "release-0.1.0": (Path(__file__).parent / "logs" / "release-0.1.0.jsonl").read_bytes(),
    "after-release": log_of(run_with(make=lambda head, _: bench_record(
        head, "null", [46] * 20, overhead=3), overhead=3)),
    "nothing": b"nothing\n", "empty": b"", "noise": b"\x00\xff" * 99,
    # A terminal program or a user may recode a whole log.
    "utf-16": TEXT.encode("utf-16"), "utf-16-be": b"\xfe\xff" + TEXT.encode("utf-16-be"),
    "utf-16-without-mark": ("boot\n" + TEXT).encode("utf-16-le"),
    "gzip": gzip.compress(SAMPLE), "bzip2": bz2.compress(SAMPLE),
    "80-columns": wrapped(SAMPLE, 80),
    "132-columns": b"U-Boot\r\n" + wrapped(SAMPLE, 132, b"\r\n"),
    "text-of-80-columns": wrapped(b"=" * 400, 80), "letters": b"x" * 80 + b"\n",
    "one-line-of-80-columns": b"=" * 80 + b"\n" * 5, "boot": b"U-Boot\n" * 9,
    "text-of-80-columns-and-log": wrapped(b"=" * 400, 80) + SAMPLE,
    # several runs in a log
    "reset": RESET, "first-two": b"".join([*FIRST, *SECOND]), "third": b"".join(THIRD),
    "three": b"".join([*FIRST, *SECOND, *THIRD]), "last-two": b"".join([*SECOND, *THIRD]),
    "later-cut": b"".join(FIRST) + b"".join(SECOND[:3]),
    "reset-garbled": CUT + BOOT + garbled(SECOND, 3, b"hvc", b"hvd"),
    "before-first": b"".join([*FIRST[4:], *SECOND]), "on-one-line": CUT + b"".join(SECOND),
    "two-run-records": second_run_record(),
    # runs to compare
    "a": A, "slow": SLOW, "trapped": TRAPPED_ALONE,
    "other-name": log_of(run_with(configs=(TRAPPED | {"name": "other"},))),
    "other-board": log_of(run_with(board="virt-a15")),
    "silicon": log_of(run_with(platform="silicon")), "toaster": log_of(run_with(board="toaster")),
    "other-plan": log_of(run_with(plan="other")),
    "other-compiler": log_of(run_with(compiler="gcc 14.2")),
    "other-window": log_of(run_with(make=lambda head, raw: stamped(head, "null", raw))),
    "other-batch": log_of(run_with(make=null_record(batch=8))),
    "other-hz": clock_log(1_000_000), "silicon-other-hz": clock_log(20_000_000, "silicon"),
    "not-its-hz": log_of(run_with(make=null_record(hz=1_000_000))),
    "odd-hz": odd_rows_log(hz=1_000_000), "odd-hz-later": odd_rows_log((1,), hz=1_000_000),
    "odd-batch": odd_rows_log(batch=8), "odd-batch-first": odd_rows_log((0,), batch=8),
    "many-samples": log_of(samples_run([50] * 960)), "few-samples": log_of(samples_run([50] * 50)),
    "variants": variants_log(VARIANTS),
    "changed": variants_log({"same": 50, "faster": 40, "slower": 51, "slowest": 90}),
    "three-variants": variants_log(dict.fromkeys("abc", 50)),
    "five-variants": variants_log(dict.fromkeys("abcde", 50)),
    "seven-variants": variants_log(dict.fromkeys("abcdefg", 50)),
    "not-modelled": build_log("v0-3"), "not-modelled-anew": build_log("v0-4"),
    "run-record": A.splitlines()[0], "beginning": A[:100],
    "slow-cut": SLOW[:SLOW.index(b'"step":3') - 5],
    "slow-cut-early": SLOW[:SLOW.index(b'"step":1') - 5], "slow-without-end": SLOW[:-50],
    "slow-garbled": garbled(SLOW.splitlines(keepends=True), first_of_kind(SLOW, b"bench"),
                            b'"n":20', b'"n":21'),
    "impossible": impossible_log(), "machine": machine_log("gem5 24.0 dtlb=32"),
    "other-machine": machine_log("gem5 24.0 dtlb=64"),
    # runs of several benchmarks, and of several VMs
    "sample": SAMPLE, "sample-host": log_of(sample_run("qemu-host")), "refused": refused_log(),
    "sample-gem5": log_of(sample_run("gem5")), "sample-cut": SAMPLE[:3000],
    "sample-missing": b"".join([*SAMPLE_LINES[:4], *SAMPLE_LINES[5:]]),
    "sample-garbled": garbled(SAMPLE_LINES, 4, b"hvc", b"hvd"),
    "failed": log_of(sample_run()[:-1] + [end_record(72, status="failed", errors=1)]),
    "sample-other": log_of([sample_run()[0] | {"plan": "other"}, *sample_run()[1:]]),
    "sample-cut-after-text": b"starting\r\n" + SAMPLE[:3000],
    "panic": b"panic: hyp/run/main.c:10: counter stands still\r\n",
    "qemu-7.2.0": b"QEMU emulator version 7.2.0\n",
    "traced": traced_log((100, "hvc")), "traced-not": traced_log(),
    "traced-pauses": traced_log((100, "pause"), (200, "resume")),
    "chases-host": chased_log("qemu-host"), "chases-icount": chased_log("qemu-icount"),
    "timed": gem5_log("timed"), "timed-cut": gem5_log("timed")[:9000],
    "short-run-record": frame(0, {"kind": "run"}), "two-vms": log_of(TWO),
    "slower-vms": log_of(run_of_vms({"right": 95, "left": 52, "third": 1_000}))}
