# SPDX-License-Identifier: Apache-2.0
"""Made-up records of every plan of the report, with the names that the guest uses. The numbers are
invented, but as in a good run they pass every rule, and the phases of an interrupt add up."""

from collections.abc import Callable

from golden import FOLDER
from logmaker import (HZ, SHAPE, calibration, end_record, log_of, run_record, stamped,
                      step_head)

AXES = {axis: value for axis, value in SHAPE.items() if axis != "name"} | {"irq": "trapped"}
PRESETS = {"native": {"stage2": "off", "irq": "direct", "traps": "off"},
           "direct": {"irq": "direct"}, "trapped": {}, "trapped-sw": {"lr": "sw"}}
# ticks from expiry to an interrupt's stamp
ADDS = {"native": 0, "direct": 0, "trapped": 55, "trapped-sw": 55}
PHASES = {"el2-vector": 4, "acknowledged": 12, "injected": 18, "eret": 9, "el1-vector": 14,
          "handler": 31, "eoi": 16, "task": 41}
GAP = (37, 130, 412)  # phases of a fail over
PROBE = {"el1": 3, "el2": 4}
PROGRAMS = ("options", "particles", "dedup", "similarity", "fluid", "itemsets", "clusters")
PAGES = (8, 64, 512, 4096, 65536)
CONFIGS = dict[str, dict]
Maker = Callable[[dict, dict], list[dict]]  # returns the records of a step with these axes


def sample(step: dict, variant: str, value: int, n: int = 100, **more) -> dict:
    """Return n samples of one value. The window begins at a timer's compare value and ends at a
    stamp."""
    return stamped(step, variant, [value] * n, **more)


def mode(axes: dict) -> str:
    if axes["stage2"] == "off":
        return "native"
    if axes["irq"] == "direct":
        return "direct"
    return "trapped-sw" if axes["lr"] == "sw" else "trapped"


def added(axes: dict) -> int:
    """Return the ticks that a configuration adds to an exit."""
    return (26 * (axes["frame"] == "full") + 34 * (axes["stats"] == "on")
            + 12 * (axes["trace"] == "on") + 7 * (axes["eoi"] == "split"))


def timer_wakeup(step: dict, axes: dict) -> list[dict]:
    more = ADDS[mode(axes)] + added(axes)
    late = {"rr": 30000, "fp": 400}.get(axes["sched"], 0)
    return [stamped(step, variant, [base + more] * 90 + [base + more + late + i for i in range(10)])
            for variant, base in (("busy-vector", 2), ("busy-handler", 34), ("busy-task", 91),
                                  ("wfi-vector", 3),
                                  ("wfi-handler", 35 + 80 * (axes["wfi"] == "trapped")),
                                  ("wfi-task", 92))]


def exits(step: dict, kinds: dict[str, tuple[int, int]]) -> list[dict]:
    """Return exits records by kind; each kind has the number of exits and the ticks of each."""
    return [step | {"kind": "exits", "exit": kind, "n": n, "total": n * ticks, "min": ticks,
                    "max": ticks, "mean": float(ticks), "hist": [[ticks, n]], "overflow": 0}
            for kind, (n, ticks) in kinds.items()]


def hvc(step: dict, axes: dict) -> list[dict]:
    if mode(axes) == "native":
        return [step | {"kind": "skip", "reason": "no hypervisor natively"}]
    records = [sample(step, "null", 41 + added(axes)), sample(step, "unknown", 44 + added(axes))]
    return records + (exits(step, {"hvc": (202, 33)}) if axes["stats"] == "on" else [])


def one_path(native: int, trapped: int, *variants: str) -> Maker:
    def make(step: dict, axes: dict) -> list[dict]:
        value = trapped + added(axes) if axes["irq"] == "trapped" else native
        return [sample(step, variant, value + 3 * i) for i, variant in enumerate(variants)]
    return make


def cntp_access(step: dict, axes: dict) -> list[dict]:
    return [sample(step, "cval-write", 1 if axes["cntp"] == "passthrough" else 196)]


def wfi(step: dict, axes: dict) -> list[dict]:
    return [sample(step, "pending", 1 if axes["wfi"] == "native" else 92)]


def fp_first_use(step: dict, axes: dict) -> list[dict]:
    use, release = {"static": (2, 30), "lazy": (180, 60), "eager": (2, 140)}[axes["fp"]]
    return [sample(step, "use", use), sample(step, "release", release)]


def phase_names(axes: dict) -> list[str]:
    return list(PHASES)[0 if axes["irq"] == "trapped" else 4:]


def irq_phases(step: dict, axes: dict) -> list[dict]:
    """Return every phase, and with probes=on also the probes; the phases add up to the total."""
    names, records = phase_names(axes), []
    for device, more in (("timer", 0), ("device", 11)):
        length = {name: PHASES[name] + more * (name == names[0]) for name in names}
        total, probes = sum(length.values()), axes["probes"] == "on"
        cost = len(names) * 3 if not probes else 0
        records.append(sample(step, f"{device}-total", total - cost, phases=len(names)))
        if probes:
            records += [sample(step, f"{device}-{name}", ticks, phase=i, phases=len(names))
                        for i, (name, ticks) in enumerate(length.items(), 1)]
    if axes["probes"] == "on":
        records.append(sample(step, "probe-el1", PROBE["el1"]))
        if axes["irq"] == "trapped":
            records.append(sample(step, "probe-el2", PROBE["el2"]))
    return records


def irq_storm(step: dict, axes: dict) -> list[dict]:
    each = 60 if axes["irq"] == "direct" else 75 + 40 * (axes["lr"] == "sw")
    return [sample(step, f"{m}-{i}", 40 + each * i + 300 * (i > 4) * (axes["irq"] == "trapped"), 20,
                   pended=m, position=i) for m in (1, 2, 4, 8, 16, 32) for i in range(1, m + 1)]


def cyclic(step: dict, axes: dict) -> list[dict]:
    more = ADDS[mode(axes)]
    late = {"rr": 30000, "fp": 400}.get(axes["sched"], 0)
    return [stamped(step, variant, [base + more] * 1900
                   + [base + more + late + 5 * i for i in range(100)], period=1875000)
            for variant, base in (("periodic", 91), ("oneshot", 97))] + [
                ran(step, "load")] * (axes["beside"] != "none")


def failover(step: dict, axes: dict) -> list[dict]:
    """Return the fail over that the configuration's name chooses; a call has phases."""
    way = step["config"].removesuffix("-cores")
    phases = {"begins": GAP[0], "paused": GAP[1],
              "runs": GAP[2] + 300 * (axes["sched"] == "null")} if way == "call" else {}
    return [sample(step, way, sum(phases.values()) or 500),
            *(sample(step, f"{way}-{name}", ticks) for name, ticks in phases.items()),
            step | {"kind": "check", "variant": "interrupts", "ok": True, "fired": 100,
                    "handled": 100}] if way != "yield" else [
                        step | {"kind": "skip", "reason": "needs beside=active_call"}]


def commanded(step: dict, axes: dict) -> list[dict]:
    """Return the records of a command to a pair of VMs whose vCPUs stamp."""
    vcpus = axes["vcpus"] or 3
    phases = {"begins": 45, "paused": 55 + 44 * vcpus, "runs": 900}
    return [sample(step, "control", sum(phases.values())),
            *(sample(step, f"control-{name}", ticks) for name, ticks in phases.items()),
            sample(step, "stopped", 20 * vcpus), sample(step, "gap", 1200),
            sample(step, "all", 1000 * vcpus)]


def net_rr(step: dict, axes: dict) -> list[dict]:
    more = 310 * (axes["beside"] == "load_echo")
    return [sample(step, "ring", 66 + more), sample(step, "rr", 626 + more),
            stamped(step, "rr-20", [3000 + more + 150 * i for i in range(20)] * 5),
            step | {"kind": "check", "variant": "answers", "ok": True, "sent": 201,
                    "answered": 201, "wrong": 0}]


def net_stream(step: dict, axes: dict) -> list[dict]:
    """Return the records of streams. virtio copies each block twice; in the made-up plan any
    configuration with lr=sw does, too."""
    copies = 2 if axes["lr"] == "sw" else 1
    return [sample(step, f"batch-{blocks}", 900 + 2000 * blocks * copies, bytes=1024 * blocks,
                   bytes_per_million=10**9 * blocks // (900 + 2000 * blocks * copies))
            for blocks in (1, 8, 32)]


def ran(step: dict, name: str, rounds: int = 100) -> dict:
    return step | {"kind": "vm", "vm": name, "vcpu": 0, "outcome": "stopped", "turns": 0,
                   "smc": 0, "resets": 0, "rom_writes": 0, "tables": 4, "rounds": rounds}


def others(step: dict) -> list[dict]:
    """Return the records of the VMs beside the measured VM in plan paper-s4-vms."""
    count = {"two": 1, "three": 2}.get(step["config"].rpartition("-")[2], 0)
    return [ran(step, name) for name in ("second", "third")[:count]]


def work(step: dict, axes: dict) -> list[dict]:
    """Return the records of work. Beside other VMs a few samples are longer; if the work is on
    memory, all samples are longer."""
    more = 16 * (axes["beside"] == "load_stride")
    late = [0, 700] if axes["beside"] != "none" else [0, 0]
    return [stamped(step, "cpu", [8000] * 50 + [8000 + late[1]] * 50),
            stamped(step, "stride", [1600 + more] * 100), *others(step)]


def vm_yield(step: dict, _axes: dict) -> list[dict]:
    return [sample(step, "yield", 511) if step["config"] == "yield" else
            step | {"kind": "skip", "reason": "needs beside=load_yield"}]


SWITCHES = {("switch", "vm_switch"): "preempt", ("yield", "vm_yield"): "yield",
            ("failover", "failover"): "control"}


def switches(step: dict, axes: dict) -> list[dict]:
    """Return the records of plan switches: each way in its own configurations, with the shortest
    time in the best case."""
    config, _, case = step["config"].partition("-")
    if not (variant := SWITCHES.get((config, step["bench"]))):
        return [step | {"kind": "skip", "reason": "needs another way"}]
    ticks = {"": 700, "idle": 600, "best": 300}[case] + 10 * len(config)
    return [sample(step, "call" if (variant, case) == ("control", "best") else variant, ticks)]


def page_fault(step: dict, axes: dict) -> list[dict]:
    second = 900 if axes["stage2"] != "off" else 0
    return [sample(step, variant, ticks) for variant, ticks in (
        ("none", 1), ("stage1", 240), ("stage2", 1 + second), ("both", 240 + second))]


def stage2_boot(step: dict, axes: dict) -> list[dict]:
    lazy = axes["fill"] == "lazy"
    return [step | {"kind": "check", "variant": "start", "ok": True, "start_ticks": 91000,
                    "build_ticks": 400 if lazy else 70000, "faults": 37 * lazy,
                    "fault_ticks": 37 * 610 * lazy, "fault_min": 580 * lazy,
                    "fault_max": 700 * lazy, "touched_pages": 512}]


LEVELS = {"off": 0, "4K": 3, "2M": 2, "1G": 1}


def walk(axes: dict) -> dict:
    s1, s2 = LEVELS[axes["stage1"]], LEVELS[axes["stage2"]]
    return {"s1_levels": s1, "s2_levels": s2, "walk_refs": (s1 + 1) * (s2 + 1) - 1}


def tlb_chase(platform: str) -> Maker:
    def make(step: dict, axes: dict) -> list[dict]:
        refs = walk(axes)
        cost = 0 if platform == "qemu-icount" else refs["walk_refs"]
        return [sample(step, f"{shape}-{pages}p",
                       256 * (1 + cost * (shape == "random") * (pages > 500)), 20, pages=pages,
                       batch=256, **refs)
                for shape in ("random", "seq", "packed") for pages in PAGES]
    return make


def lat_mem_rd(step: dict, _axes: dict) -> list[dict]:
    return [sample(step, f"{shape}-{kib}K", 256, 20, kib=kib, batch=256)
            for shape in ("seq", "random") for kib in (32, 1024, 262144)]


def tlb_maintenance(step: dict, axes: dict) -> list[dict]:
    return [sample(step, name + refill, 12 + 30 * bool(refill) + LEVELS[axes["stage2"]], pages=64)
            for name in ("none", "va", "asid", "all", "vmid", "switch", "switch-flush")
            for refill in (("-refill",) if name == "none" else ("", "-refill"))]


def revisit(step: dict, axes: dict) -> list[dict]:
    """Return the records of revisits. Beside a load they take three times as long, or half as much
    more if colours keep the load out."""
    cost = walk(axes)["walk_refs"] * (
        1 if axes["beside"] == "none" else 1.5 if axes.get("colouring") == "on" else 3)
    return [sample(step, f"{lines // 16}K", int(lines * cost), 20, kib=lines // 16, batch=lines,
                   **walk(axes)) for lines in (256, 4096)]


def program(index: int) -> Maker:
    def make(step: dict, axes: dict) -> list[dict]:
        vm, native = axes["irq"] == "trapped", 1_000_000 + 250_000 * index
        kinds = {"mmio-write": (40 * index + 11, 130), "irq": (33, 95), "maintenance": (11, 60)}
        per_run = sum(n // 11 * ticks for n, ticks in kinds.values())
        value = native + (per_run * 3 if vm else 0) + 5000 * (axes["stage2"] == "4K")
        records = [stamped(step, "run", [value] * 10),
                   step | {"kind": "check", "variant": "checksum", "ok": True,
                           "checksum": 77 + index}]
        return records + (exits(step, kinds) if axes["stats"] == "on" else [])
    return make


def loop(step: dict, _axes: dict) -> list[dict]:
    return [sample(step, "run", 500_000, 10)]


def makers(plan: str, platform: str) -> dict[str, Maker]:
    """Return the function that makes the records of each benchmark."""
    return {"timer_wakeup": timer_wakeup, "hvc": hvc, "wfi": wfi, "cntp_access": cntp_access,
            "smc": one_path(4, 52, "unknown"), "sysreg": one_path(2, 66, "actlr"),
            "mmio_read": one_path(1, 130, "vgic", "null"),
            "mmio_write": one_path(1, 121, "vgic", "null"),
            "sgi_self": one_path(33, 193, "handler"), "irq_phases": irq_phases,
            "irq_storm": irq_storm, "cyclic": cyclic, "fp_first_use": fp_first_use,
            "page_fault": page_fault, "stage2_boot": stage2_boot, "vm_switch": switches,
            "vm_yield": switches if plan == "switches" else vm_yield,
            "failover": (switches if plan == "switches" else
                         commanded if plan.startswith("paper-s2") else failover),
            "net_rr": net_rr, "net_stream": net_stream, "lat_mem_rd": lat_mem_rd,
            "tlb_maintenance": tlb_maintenance, "tlb_chase": tlb_chase(platform),
            "revisit": revisit, "work": work, "loop_int": loop, "loop_fp": loop} | {
                f"prog_{name}": program(index) for index, name in enumerate(PROGRAMS)}


def config_of(name: str, *words: str) -> dict:
    """Return the axes of a config line: a preset, which may be the name, and the changes."""
    preset, *more = words or (name,)
    changes = dict(word.split("=") for word in more)
    return AXES | PRESETS[preset] | {axis: int(value) if value.isdigit() else value
                                     for axis, value in changes.items()}


def read_plans() -> dict[str, tuple[CONFIGS, list[str]]]:
    """Return each plan's configurations and benchmarks, from a text in the words of plans."""
    by_name = {}
    for text in (FOLDER / "report-plans.txt").read_text().split("\n\n"):
        lines = [line.split() for line in text.splitlines()]
        by_name[lines[0][1]] = (
            {name: config_of(name, *words) for kind, name, *words in lines if kind == "config"},
            [name for kind, name, *_ in lines if kind == "bench"])
    return by_name


PLANS = read_plans()
# Plans of a simulator, where a tick is time.
REFERENCE = ("colouring", "neighbours", "paper-s3-timed", "timed", "tlb")


def plans() -> tuple[str, ...]:
    """Return the names of the plans that a report runs."""
    return tuple(name for name in PLANS if name not in REFERENCE)


def bodies_of(plan: str, platform: str = "qemu-icount", **more) -> list[dict]:
    """Return the bodies of a run. `more` goes into the run record: board, isa, gic, lr_count."""
    configs, benches = PLANS[plan]
    make = makers(plan, platform)
    steps = [(0, config, bench) for bench in benches for config in configs]
    bodies = [run_record(len(steps), platform, (), plan=plan, order="once", **more)
              | {"configs": [{"name": name} | axes for name, axes in configs.items()]}]
    for number, (in_pass, config, bench) in enumerate(steps):
        head = step_head(number, in_pass, config, bench)
        records = make[bench](head, configs[config])
        bodies += [calibration(head), *records, head | {
            "kind": "step", "steps": len(steps), "outcome": "done", "ticks": 5000, "smc": 0}]
    hz = more.get("hz", HZ)
    counted = [body | {"hz": hz} if body.get("clock") == "cntpct" else body for body in bodies]
    return [*counted, end_record(len(counted) + 1)]


def report_log(plan: str, platform: str = "qemu-icount", **more) -> bytes:
    return log_of(bodies_of(plan, platform, **more), b"\n")


MACHINE = ("gem5 24.0.0.1 gic=gicv3 core=out-of-order clock_mhz=1700 dtlb=32 l2_tlb=1024"
           " l1d_kib=32 l2_kib=1024 start=atomic")


def gem5_log(plan: str, board: str = "gem5-a72", **more) -> bytes:
    """Return a log of gem5, where a tick is a nanosecond."""
    return report_log(plan, "gem5", board=board, gic="v3", hz=10**9, machine=MACHINE, **more)


def plan_text(plan: str) -> str:
    configs, benches = PLANS[plan]
    return "".join([f"name {plan}\norder once\n", *(f"config {name} trapped\n" for name in configs),
                    *(f"bench {name}\n" for name in benches)])
