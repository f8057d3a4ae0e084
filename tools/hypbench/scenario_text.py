# SPDX-License-Identifier: Apache-2.0
"""Write a plan as the text of a scenario, for `hypbench convert` and `hypbench show-scenario`."""

import json
import re
from collections.abc import Iterator
from typing import Any

from hypbench import abi
from hypbench.plan_model import LIMIT_MS_DEFAULT, ORDERS, Plan
from hypbench.plan_vms import GUEST, Guest, Vm
from hypbench.plan_words import Fields

SCHEMA = "#:schema ../docs/reference/scenario.schema.json"
BARE = re.compile(r"[A-Za-z0-9_-]+")
HEXADECIMAL = ("ram", "entry", "dtb", "store", "ipa", "size")
Settings = dict[str, Any]


def toml_of(plan: Plan, title: str = "", question: str = "") -> str:
    """Return the text of a scenario that means this plan. The plan's name is not in the text: the
    scenario's file has the name of the plan."""
    return "\n\n".join("\n".join(part) for part in parts(plan, title, question)) + "\n"


def parts(plan: Plan, title: str, question: str) -> Iterator[list[str]]:
    header = {"title": title, "question": question}
    lines = [f"{key} = {value(text)}" for key, text in header.items() if text]
    if plan.benches:
        lines.append(f"order = {value(ORDERS[plan.order])}")
    if plan.limit_ms != LIMIT_MS_DEFAULT:
        lines.append(f"limit_ms = {plan.limit_ms}")
    yield [SCHEMA, *lines]
    if plan.benches:
        params = abi.defaults("BENCH_PARAMS")
        yield ["bench = [", *(f"  {inline({'name': name} | differing(fields, params))},"
                              for name, fields in plan.benches), "]"]
    yield ["[config]", *(f"{key(name)} = {inline(config_settings(name, config))}"
                         for name, config in plan.configs.items())]
    for name, guest in plan.guests.items():
        yield guest_lines(name, guest)
    yield ["[vm]", *(f"{key(name)} = {inline(vm_settings(name, vm))}"
                     for name, vm in plan.vms.items())]
    if plan.links:
        yield ["[link]", *(f"{key(name)} = {inline(vars(link))}"
                           for name, link in plan.links.items())]
    for event in plan.events:
        when = {"on": event.of, "end": event.end} if event.of else {"at_us": event.at_us}
        yield ["[[event]]", *settings(when | {"do": event.kind, "vm": event.vm})]


def differing(fields: Fields, defaults: Fields) -> Settings:
    return {name: number for name, number in fields.items() if number != defaults.get(name)}


def config_settings(name: str, config: Fields) -> Settings:
    """Return the settings of a configuration that differ from the preset of the same name, or else
    from the nearest preset."""
    presets, axes = abi.presets(), abi.axes()
    preset = name if name in presets else min(
        presets, key=lambda candidate: len(config.items() - presets[candidate].items()))
    base = {} if name == preset else {"from": preset}
    return base | {axis: axes[axis][number] if axes[axis] else number
                   for axis, number in differing(config, presets[preset]).items()}


def vm_settings(name: str, vm: Vm) -> Settings:
    fields: Settings = {} if name == vm.image else {"image": vm.image}
    fields |= {"cores": list(vm.cores)}
    fields |= {"ram_mib": vm.ram_mib} if vm.ram_mib else {}
    fields |= {"prio": vm.prio} | ({"load": vm.load} if vm.load else {})
    fields |= {"colours": list(vm.colours)} if vm.colours else {}
    return fields | ({"configs": list(vm.configs)} if vm.configs else {})


def guest_lines(name: str, guest: Guest) -> list[str]:
    recipe = {"recipe": guest.recipe} if guest.recipe else {}
    lines = [f"[{GUEST}.{key(name)}]", *settings(recipe | guest.fields)]
    if guest.loads:
        lines += ["load = [", *(f"  {inline(load)}," for load in guest.loads), "]"]
    return lines


def settings(fields: Settings) -> list[str]:
    return [f"{key(name)} = {number(name, setting)}" for name, setting in fields.items()]


def key(name: str) -> str:
    return name if BARE.fullmatch(name) else value(name)


def inline(fields: Settings) -> str:
    return f"{{ {', '.join(settings(fields))} }}" if fields else "{}"


def number(name: str, setting: Any) -> str:
    """Format addresses and sizes in bytes as hexadecimal numbers."""
    return hex(setting) if name in HEXADECIMAL else value(setting)


def value(setting: Any) -> str:
    return json.dumps(setting, ensure_ascii=False)
