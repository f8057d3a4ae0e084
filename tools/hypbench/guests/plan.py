# SPDX-License-Identifier: Apache-2.0
"""The plan of a guest: one configuration, a `guest` line and a `load` line a file."""

from hypbench.abi import axes
from hypbench.guests.machine import MIB, BadGuest, Machine
from hypbench.guests.placement import Layout, Load
from hypbench.plan_language import config_of
from hypbench.plan_words import Mistake


def check_config(words: str) -> None:
    try:
        config_of(words.split())
    except Mistake as mistake:
        raise BadGuest(f"CONFIG={words}: {mistake}") from mistake


def setting_of(words: str, axis: str) -> str:
    """The value of an axis in a configuration."""
    _, config = config_of(words.split())
    return axes()[axis][config[axis]]


def is_native(words: str) -> bool:
    """Stage 2 is off: the guest sees the board's own addresses."""
    return setting_of(words, "stage2") == "off"


# QEMU's GICv2 does not look at a timer's line again when a list register deactivates it: by the
# host's clock it may be due again by then, and is lost (CAVEATS.md). Not with lr=sw.
SAFE_CONFIG, USUAL_CONFIG = "trapped-sw", "trapped"


def loses_timers(words: str, gic: str, clock: str) -> bool:
    return (clock == "host" and gic == "gicv2" and setting_of(words, "irq") == "trapped"
            and setting_of(words, "lr") == "hw")


def usual_config(gic: str, clock: str) -> str:
    return SAFE_CONFIG if loses_timers(USUAL_CONFIG, gic, clock) else USUAL_CONFIG


def plan_text(config: str, stats: bool, machine: Machine, layout: Layout,
              loads: list[Load]) -> str:
    """A step without end: the guest, its user or the host tool's limit ends it."""
    words = config + (" stats=on" if stats and "stats=" not in config else "")
    return "\n".join(["name guest", "order once", "limit_ms 0", f"config {words}",
                      *guest_lines("", machine, layout, loads), ""])


def guest_lines(name: str, machine: Machine, layout: Layout, loads: list[Load]) -> list[str]:
    """`name`: or "", of a plan with one guest."""
    return [f"guest{name and ' '}{name} ram={machine.ram:#x} ram_mib={machine.ram_size // MIB}"
            f" cpus={machine.cpus} entry={layout.entry:#x} dtb={layout.dtb:#x}",
            *(load.line() for load in loads)]
