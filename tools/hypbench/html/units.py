# SPDX-License-Identifier: Apache-2.0
"""Numbers with their units: what a tick is called depends on the platform."""

from dataclasses import dataclass

from hypbench.rows import TIME

NARROW_SPACE = "\u202f"
NONE = "–"


@dataclass(frozen=True)
class Clock:
    """The unit of one tick of a run."""

    platform: str
    hz: int

    @property
    def exact(self) -> bool:
        return self.platform == "qemu-icount"

    @property
    def nanoseconds(self) -> bool:
        """A tick is one."""
        return self.platform in TIME and self.hz == 10**9

    @property
    def unit(self) -> str:
        return "instr" if self.exact else "ns" if self.nanoseconds else "ticks"

    @property
    def axis(self) -> str:
        """The name of a plot's axis."""
        if self.nanoseconds:
            return "ns"
        if self.platform in TIME:
            return f"ticks of {seconds(1 / self.hz)}"
        return "instructions" if self.exact else "ticks"

    def show(self, ticks: float | None) -> str:
        if ticks is None:
            return NONE
        unit = "tick" if self.unit == "ticks" and number(ticks) == "1" else self.unit
        text = f"{number(ticks)}\u00a0{unit}"
        said = self.platform in TIME and not self.nanoseconds
        return f"{text} ({seconds(ticks / self.hz)})" if said else text

    def change(self, ticks: float | None) -> str:
        """A difference, with its sign."""
        if ticks is None:
            return NONE
        sign = "+" if ticks > 0 else "−" if ticks < 0 else "±"
        return sign + self.show(abs(ticks))


def number(value: float) -> str:
    """Groups of three from five digits on; one decimal where it is no whole number."""
    rounded = round(value, 1)
    text = f"{rounded:,.0f}" if rounded == int(rounded) else f"{rounded:,.1f}"
    text = text.replace("-", "−")
    return text.replace(",", NARROW_SPACE if abs(value) >= 10000 else "")


def counted(count: float | None, noun: str) -> str:
    """3 exits; 1 exit."""
    if count is None:
        return NONE
    return f"{number(count)}\u00a0{noun if count == 1 else plural(noun)}"


def plural(noun: str) -> str:
    return noun[:-1] + "ies" if noun.endswith("y") else noun + "s"


def percent(share: float | None, digits: int = 1) -> str:
    return NONE if share is None else f"{100 * share:.{digits}f}\u00a0%"


def ratio(value: float | None, base: float | None) -> str:
    return NONE if value is None or not base else f"×{value / base:.2f}"


def seconds(value: float) -> str:
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6), ("ns", 1e9)):
        if value * scale >= 1 or unit == "ns":
            return f"{value * scale:.4g}\u00a0{unit}"
    return ""
