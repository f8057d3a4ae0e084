# SPDX-License-Identifier: Apache-2.0
"""The rules that parts of a plan must satisfy together, and those of a board if the board is
known."""

from collections.abc import Callable

from hypbench.plan_machine import (Board, check_guest_in, check_guest_on, check_native, check_stats,
                                   check_together)
from hypbench.plan_model import Place, Plan, said_of
from hypbench.plan_vms import (Vm, check_colours, check_cores, check_event, check_link, check_links,
                               check_vms, sized_guest)
from hypbench.plan_words import Mistake, PlanError, quoted

Refuse = Callable[[int, str], None]  # receives the line and the message of a mistake


class Checks:
    """Report each mistake of a plan to `refuse`, with the line of the part that has the mistake."""

    def __init__(self, plan: Plan, board: Board | None, refuse: Refuse):
        self.plan, self.board, self.refuse = plan, board, refuse
        self.line = plan.lines.get((), 1)
        self.configs = said_of(plan)

    def held(self, place: Place, check: Callable[..., None], *parts: object) -> None:
        """Run one check of a part. A part without a line of its own takes the line of the last
        part."""
        self.line = self.plan.lines.get(place, self.line)
        try:
            check(*parts)
        except Mistake as mistake:
            self.refuse(self.line, str(mistake))

    def run(self) -> None:
        self.check_parts()
        self.check_vms()
        for name, link in self.plan.links.items():
            self.held(("link", name), check_link, self.plan.vms, name, link)
        for name, said in self.configs.items():
            self.held(("config", name), check_links, self.plan.links, self.plan.vms, name, said)
        for number, event in enumerate(self.plan.events):
            self.held(("event", number), check_event, self.plan.vms, event)

    def check_parts(self) -> None:
        plan = self.plan
        self.held((), self.check_configs)
        if plan.benches and not plan.limit_ms:
            self.held(("limit_ms",), self.wrong, "limit_ms 0 is for a guest, not for benchmarks")
        if not plan.benches and not plan.guests:
            self.held((), self.wrong, "there is no benchmark")

    def check_configs(self) -> None:
        if not self.plan.configs:
            raise Mistake("there is no configuration")

    def wrong(self, message: str) -> None:
        raise Mistake(message)

    def check_vms(self) -> None:
        plan = self.plan
        for place in [*(("guest", name) for name in plan.guests),
                      *(("vm", name) for name in plan.vms)]:
            self.line = plan.lines.get(place, self.line)
        self.held(("vms",), check_vms, plan.vms, plan.guests, bool(plan.benches), self.configs)
        for name, said in self.configs.items():
            for check in (check_cores, check_stats, check_colours):
                self.held(("config", name), check, plan.vms, name, said)
            self.held(("config", name), self.check_config, name, said)
        for name, vm in plan.vms.items():
            if vm.image in plan.guests:
                place = ("vm", name) if ("vm", name) in plan.lines else ("guest", vm.image)
                self.held(place, self.check_machine, vm)
        if self.board:
            self.held(("vms",), check_together, self.board, plan.vms, self.configs.values())

    def check_config(self, name: str, said: dict[str, str]) -> None:
        if not self.plan.benches and said["probes"] == "on":
            raise Mistake(f"probes=on is for benchmarks: config {quoted(name)}")
        if self.plan.events and said["irq"] != "trapped":
            raise Mistake(f"events need irq=trapped: irq=direct in config {quoted(name)}")

    def check_machine(self, vm: Vm) -> None:
        """Check an unmodified guest's VM in each configuration."""
        guest = sized_guest(self.plan.guests[vm.image], vm.ram_mib)
        if self.board:
            check_guest_on(self.board, guest)
        trapped = {"irq": "trapped", "stage2": "2M"} if vm.beside else {}
        for name, said in ((name, said | trapped) for name, said in self.configs.items()):
            check_guest_in(name, said, guest, len(vm.cores))
            if self.board and said["stage2"] == "off":
                check_native(self.board, name, guest)


def mistakes_on(board: Board | None, plan: Plan) -> list[PlanError]:
    """Return every mistake of a plan on a board."""
    found: list[PlanError] = []
    Checks(plan, board, lambda line, message: found.append(
        PlanError(line, message, plan.file))).run()
    return found
