# SPDX-License-Identifier: Apache-2.0
"""The rules that the parts of a plan must satisfy together, and a board's rules if the board is
known."""

from collections.abc import Callable

from hypbench.plan_machine import (Board, check_guest_in, check_guest_on, check_native, check_stats,
                                   check_together)
from hypbench.plan_model import Place, Plan, words_of_configs
from hypbench.plan_vms import (Vm, check_colours, check_cores, check_event, check_link, check_links,
                               check_vms, sized_guest)
from hypbench.plan_words import Mistake, PlanError, quoted

Refuse = Callable[[int, str], None]  # receives the line and the message of a mistake


class Checks:
    """The checks of a plan. `refuse` receives each mistake, and the line of the part with the
    mistake."""

    def __init__(self, plan: Plan, board: Board | None, refuse: Refuse):
        self.plan, self.board, self.refuse = plan, board, refuse
        self.line = plan.lines.get((), 1)
        self.configs = words_of_configs(plan)

    def apply(self, place: Place, check: Callable[..., None], *parts: object) -> None:
        """Apply one check to a part. A part without a line of its own has the line of the part that
        was checked before."""
        self.line = self.plan.lines.get(place, self.line)
        try:
            check(*parts)
        except Mistake as mistake:
            self.refuse(self.line, str(mistake))

    def run(self) -> None:
        self.check_parts()
        self.check_vms()
        for name, link in self.plan.links.items():
            self.apply(("link", name), check_link, self.plan.vms, name, link)
        for name, axes in self.configs.items():
            self.apply(("config", name), check_links, self.plan.links, self.plan.vms, name, axes)
        for number, event in enumerate(self.plan.events):
            self.apply(("event", number), check_event, self.plan.vms, event)

    def check_parts(self) -> None:
        plan = self.plan
        self.apply((), self.check_configs)
        if plan.benches and not plan.limit_ms:
            self.apply(("limit_ms",), self.fail, "limit_ms 0 is for a guest, not for benchmarks")
        if not plan.benches and not plan.guests:
            self.apply((), self.fail, "there is no benchmark")

    def check_configs(self) -> None:
        if not self.plan.configs:
            raise Mistake("there is no configuration")

    def fail(self, message: str) -> None:
        raise Mistake(message)

    def check_vms(self) -> None:
        plan = self.plan
        for place in [*(("guest", name) for name in plan.guests),
                      *(("vm", name) for name in plan.vms)]:
            self.line = plan.lines.get(place, self.line)
        self.apply(("vms",), check_vms, plan.vms, plan.guests, bool(plan.benches), self.configs)
        for name, axes in self.configs.items():
            for check in (check_cores, check_stats, check_colours):
                self.apply(("config", name), check, plan.vms, name, axes)
            self.apply(("config", name), self.check_config, name, axes)
        for name, vm in plan.vms.items():
            if vm.image in plan.guests:
                place = ("vm", name) if ("vm", name) in plan.lines else ("guest", vm.image)
                self.apply(place, self.check_machine, vm)
        if self.board:
            self.apply(("vms",), check_together, self.board, plan.vms, self.configs.values())

    def check_config(self, name: str, axes: dict[str, str]) -> None:
        if not self.plan.benches and axes["probes"] == "on":
            raise Mistake(f"probes=on is for benchmarks: config {quoted(name)}")
        if self.plan.events and axes["irq"] != "trapped":
            raise Mistake(f"events need irq=trapped: irq=direct in config {quoted(name)}")

    def check_machine(self, vm: Vm) -> None:
        """Check an unmodified guest's VM in each configuration."""
        guest = sized_guest(self.plan.guests[vm.image], vm.ram_mib)
        if self.board:
            check_guest_on(self.board, guest)
        trapped = {"irq": "trapped", "stage2": "2M"} if vm.beside else {}
        for name, axes in ((name, axes | trapped) for name, axes in self.configs.items()):
            check_guest_in(name, axes, guest, len(vm.cores))
            if self.board and axes["stage2"] == "off":
                check_native(self.board, name, guest)


def mistakes_on(board: Board | None, plan: Plan) -> list[PlanError]:
    """Return every mistake of a plan on a board."""
    mistakes: list[PlanError] = []
    Checks(plan, board, lambda line, message: mistakes.append(
        PlanError(line, message, plan.file))).run()
    return mistakes
