# SPDX-License-Identifier: Apache-2.0
"""Consoles of runs whose guest measures itself: Linux's cyclictest, and Zephyr's latency_measure in
the forms of its releases 2 to 4 (Zephyr's own documentation). Each console with a contradiction has
the name of the contradiction."""

from logmaker import HZ, NATIVE, TRAPPED, end_record, frame, run_record, step_head

NS = 1_000_000_000 // HZ  # ns of a tick
DIRECT = {"name": "direct"}
COUNTS = {"native": {100 * NS: 990, 300 * NS: 10}, "direct": {100 * NS: 990, 300 * NS: 10},
          "trapped": {160 * NS: 600, 170 * NS: 390, 900 * NS: 10}}
MEANS = {"native": 315, "direct": 315, "trapped": 396}
FIRST = "Timing results: Clock frequency: 62 MHz"
LAST = "PROJECT EXECUTION SUCCESSFUL"
FORMS = {
    "4": "thread.yield.preemptive.ctx.k_to_k       - Context switch via k_yield                   "
         "      :{cycles:8} cycles ,{ns:9} ns :",
    "3": "Preemptive threads ctx switch via k_yield (K -> K)  :{cycles:8} cycles ,{ns:9} ns :",
    "2": "Average thread context switch using yield                   :{cycles:8} cycles , {ns:8}"
         " ns"}


def histogram(counts: dict[int, int], loops: int = 1000, most: int | None = None) -> list[str]:
    """Return the lines that cyclictest prints."""
    lines = [f"begin {loops} on Linux 6.1.0-50-arm64", *(f"{ns} {n}" for ns, n in counts.items()),
             f"end max {most or max(counts)}"]
    return [f"cyclictest: {line}" for line in lines]


def metric(cycles: int, form: str = "4") -> str:
    return FORMS[form].format(cycles=cycles, ns=cycles * NS)


def metrics(*lines: str) -> list[str]:
    """Return the lines that latency_measure prints."""
    return ["*** Booting Zephyr OS build v3.7.0 ***", "START - Time Measurement", FIRST, *lines,
            "=" * 67, LAST]


def console(lines: dict[str, list[str]], plan: str = "cyclictest") -> bytes:
    """Return the console of a run whose guest prints these lines in each configuration."""
    configs = [config for config in (NATIVE, DIRECT, TRAPPED) if config["name"] in lines]
    output = [frame(0, run_record(len(configs), configs=configs, plan=plan, order="once",
                                  limit_ms=120000))]
    for number, config in enumerate(configs):
        guest_lines = ["Linux boots", *lines[config["name"]], "Power down"]
        output += [line.encode() for line in guest_lines]
        output.append(frame(number + 1, step_head(number, 0, config["name"], "guest") | {
            "kind": "step", "vm": "linux", "steps": len(configs), "outcome": "done",
            "ticks": 5000, "smc": 0}))
    output.append(frame(len(configs) + 1, end_record(len(configs) + 2)))
    return b"".join(line + b"\r\n" for line in output)


def of_vm(lines: list[str], vm: str = "linux") -> list[str]:
    return [f"{vm}: {line}" for line in lines]


ONE = metric(1)
BY_CYCLICTEST = {
    "few": histogram({100: 60, 200: 39}, 99),
    "beyond": histogram({1000: 980}, most=5_000_000), "of-a-vm": of_vm(histogram({1000: 1000})),
    "without-end": histogram({1000: 1000})[:-1], "begin-alone": histogram({1000: 1000})[:1],
    "too-many": histogram({1000: 1001}), "later-maximum": histogram({1000: 1000}, most=2000),
    "one-beyond": histogram({1000: 999}, most=2000), "early-maximum": histogram(
        {1000: 999}, most=900),
    "empty": [histogram({1: 1})[0], "cyclictest: end max 7"],
    "after-text": ["cyclictest: 5 1", "cyclictest: starts", "a cyclictest: begin 3 on Linux",
                   *histogram({1000: 1000})]}
BY_LATENCY_MEASURE = {
    **{f"form-{form}": metrics(metric(315, form)) for form in FORMS},
    **{f"form-{form}-of-a-vm": of_vm(metrics(metric(315, form)), "rtos") for form in FORMS},
    "without-end": [FIRST, ONE], "empty": [FIRST, LAST],
    "failed": [FIRST, ONE, "PROJECT EXECUTION FAILED"],
    "failed-metric": [FIRST, f"{ONE} FAILED - tick occurred", LAST],
    "twice": [FIRST, ONE, ONE, LAST],
    "too-many": [FIRST, *(f"m{at} : 1 cycles , 16 ns :" for at in range(301)), LAST],
    "after-its-end": [FIRST, ONE, LAST, metric(2), "m : 1 cycles , 16 ns : FAILED"],
    "before-it": [metric(7), LAST, *metrics(ONE)]}
WITH_CYCLICTEST = console({name: histogram(counts) for name, counts in COUNTS.items()})
WITH_LATENCIES = console({name: metrics(metric(cycles)) for name, cycles in MEANS.items()},
                         "latency-measure")
MANY = [f"metric.{at} - Something : {at} cycles , {at * NS} ns :" for at in range(1, 101)]
CONSOLES = {
    "cyclictest": WITH_CYCLICTEST, "latencies": WITH_LATENCIES,
    "latencies-not-native": console({name: metrics(metric(MEANS[name]))
                                     for name in ("direct", "trapped")}),
    "many-latencies": console({name: metrics(*MANY) for name in MEANS}),
    **{f"cyclictest-{name}": console({"trapped": lines})
       for name, lines in BY_CYCLICTEST.items()},
    **{f"latencies-{name}": console({"trapped": lines})
       for name, lines in BY_LATENCY_MEASURE.items()}}
