# SPDX-License-Identifier: Apache-2.0
"""The injected delay: a benchmark with delay=N must find every value greater by exactly N.

A test module that proves benchmarks this way names them in a tuple PROVEN; test_counted.py holds
those tuples against the benchmarks there are.
"""

import ast
from pathlib import Path

DELAYS = (0, 100, 1000)
VALUES = ("cold", "min", "p50", "p90", "p95", "max")


def delay_lines(bench: str, params: str = "") -> str:
    """Lines of a plan, `order once`: the benchmark once for each of DELAYS."""
    return "".join(f"bench {bench} {params} delay={delay}\n" for delay in DELAYS)


def assert_delay_is_seen(result, line: int) -> None:
    """`line`: of the plan's bench lines, the first of three that delay_lines() made."""
    plain = result.figures(line)
    assert plain
    for i, delay in enumerate(DELAYS[1:], 1):
        delayed = result.figures(line + i)
        assert delayed.keys() == plain.keys()
        for key, record in delayed.items():
            assert values(record) == [value + delay for value in values(plain[key])], key
            assert record["stddev"] == plain[key]["stddev"], key


# For boards that few tests run on: a load on another core, and fail overs on one core and on two.
SEVERAL_VMS = """order once
limit_ms 5000
config alone trapped
config load trapped beside=load_cpu
config call trapped sched=fp fp=lazy beside=active_call
config call-cores trapped beside=active_call
bench timer_wakeup n=100
bench failover n=50
"""


def assert_vms_share_cores(result, call: int) -> None:
    """`call`: the median of a fail over on one core, as long as on another board of that core."""
    rows, failovers = result.figures(0), result.figures(1)
    assert all(rows["load", variant]["min"] == row["min"]
               for (config, variant), row in rows.items() if config == "alone")
    [load] = result.records("vm", bench="timer_wakeup", config="load")
    assert load["rounds"] > 10
    assert failovers["call", "call"]["p50"] == call
    assert call < failovers["call-cores", "call"]["p50"] < 3 * call


def values(record: dict) -> list[int]:
    return [record[name] for name in VALUES if name in record]


def proven_elsewhere() -> set[str]:
    """Every PROVEN tuple of the test modules beside this one."""
    names: set[str] = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        for node in ast.parse(path.read_text()).body:
            if (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
                    and node.targets[0].id == "PROVEN"):
                names |= set(ast.literal_eval(node.value))
    return names
