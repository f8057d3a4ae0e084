# SPDX-License-Identifier: Apache-2.0
"""The `guest`, `load`, `vm`, `link`, `at` and `on` lines of a plan: unmodified guests and their
images, the VMs of a step with a core for each vCPU, and the links and events of these VMs."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from hypbench import abi
from hypbench.plan_words import (U32_MAX, Fields, Mistake, check_room, choice, missing, name_of,
                                 number, numbers, quoted, settings, unknown)

SPACE_END = 1 << 32  # end of the intermediate physical addresses
RAM_GRAIN = 0x200000
LOAD_GRAIN = 0x1000
IMAGES = [word for _, word in abi.table("PLAN_IMAGES")]
BENCH, BACKGROUND, LOAD, CONTROL, GUEST = IMAGES
OWN_IMAGES = (BENCH, BACKGROUND, LOAD, CONTROL)
NEIGHBOURS = (BACKGROUND, LOAD, CONTROL)  # these VMs never end, and nothing is measured in them
CONFIG = "config"  # key of the configuration's name beside the words of its axes
LINUX = "linux"  # the value of `beside` that stands for an unmodified guest
COMMANDED = "active_control"  # the value of `beside` that needs a control VM
BESIDE_WORDS = abi.axes()["beside"]
LINKED = ("load_echo", "load_net", "load_block", "load_ping", "load_ring")  # loads that need a link
REQUESTERS = LINKED[1:3]
OTHER_END = dict.fromkeys((*REQUESTERS, "load_ring"), "a VM with load=load_echo") | {
    "load_ping": "a VM that pings, of kind=virtio"}
RECIPE = "recipe="  # begin of a word of a guest line
OWN_LOADS = [load for load in BESIDE_WORDS if load.startswith("load_")]
CORE_MAX = abi.constant("PLAN_CORE_MAX")
EVENTS = [word for _, word in abi.table("PLAN_EVENTS")]
ENDS = [word for _, word in abi.table("PLAN_ENDS")]
LINK_KINDS = [word for _, word in abi.table("PLAN_LINK_KINDS")]
LINK_WORDS = ("kind", "a", "b")
LINK_MIB = abi.constant("LINK_SIZE") >> 20
EVENTS_OF_BENCH = ("pause", "resume")
VM_WORDS = ("image", "cores", "load", "configs", "colours", *abi.numbers("PLAN_VM_FIELDS"))
COLOURS = abi.constant("PLAN_COLOURS")
URGENT, BESIDE = 1, 0  # default priorities; a neighbour has the lower one
LOAD_MIB = 16  # RAM of a load: more than a cache holds, and the minimum of a bench guest
LOAD_MIB_MAX = 896  # the bench guest takes the rest of a board's GiB
GRAIN_MIB = RAM_GRAIN >> 20


@dataclass
class Guest:
    """An unmodified guest. If the guest has a recipe, the host tool places its images before the
    run."""

    fields: Fields
    loads: list[Fields] = field(default_factory=list)
    recipe: str = ""
    image: Path | None = None  # the file that the user gave for recipe=image

    @property
    def ram_end(self) -> int:
        return self.fields["ram"] + (self.fields["ram_mib"] << 20)

    def in_ram(self, ipa: int) -> bool:
        return self.fields["ram"] <= ipa < self.ram_end

    def is_there(self, ipa: int) -> bool:
        return self.in_ram(ipa) or any(0 <= ipa - load["ipa"] < load["size"]
                                       for load in self.loads)


@dataclass
class Vm:
    image: str  # one of OWN_IMAGES or a guest's name
    cores: tuple[int, ...]  # the core of each vCPU
    ram_mib: int
    prio: int
    load: str = ""  # the load that image LOAD runs in every configuration, or ""
    colours: tuple[int, ...] = ()  # colours of its pages with colouring=on, ascending; (): any
    configs: tuple[str, ...] = ()  # configurations in which the VM takes part; (): all
    beside: bool = False  # a guest that takes part where a configuration has beside=linux

    def window_mib(self, coloured: bool) -> int:
        """Return the size of the memory over which the RAM is spread. The VM has only the pages of
        its colours in this memory."""
        if not coloured or not self.colours:
            return self.ram_mib
        mib = self.ram_mib or LOAD_MIB
        return -(-mib * COLOURS // (len(self.colours) * GRAIN_MIB)) * GRAIN_MIB


@dataclass
class Link:
    """A link between two VMs, present in each configuration in which both take part."""

    kind: str  # one of LINK_KINDS
    a: str
    b: str


@dataclass
class Event:
    at_us: int  # time after the begin of the step
    kind: str  # one of EVENTS
    vm: str
    of: str = ""  # the event happens when this VM comes to `end`, one of ENDS
    end: str = ""

    @property
    def line(self) -> str:
        when = f"on {self.of} {self.end}" if self.of else f"at {self.at_us}"
        return f"{when} {self.kind} {self.vm}"


def on_of(words: list[str]) -> Event:
    """Parse the words after `on`: VM END WHAT VM."""
    of, end = name_of(words), ENDS[choice(words, ENDS)]
    return Event(0, EVENTS[choice(words, EVENTS)], name_of(words), of, end)


def event_of(words: list[str]) -> Event:
    """Parse the words after `at`: TIME_US WHAT VM."""
    time = words.pop(0) if words else ""
    return Event(number(time, time, 0, U32_MAX), EVENTS[choice(words, EVENTS)], name_of(words))


def guest_of(words: list[str]) -> tuple[str, Guest]:
    name = name_of(words) if words and "=" not in words[0] else GUEST
    if name in OWN_IMAGES:
        raise Mistake(f"a guest cannot have the name {quoted(name)}, an image of hypbench's own")
    recipe = words.pop(0).removeprefix(RECIPE) if words and words[0].startswith(RECIPE) else ""
    guest = Guest(numbers(words, "field", "PLAN_GUEST_FIELDS"), recipe=recipe)
    check_ram(guest)
    return name, guest


def check_ram(guest: Guest) -> None:
    if guest.fields["ram"] % RAM_GRAIN:
        raise Mistake("ram is not a multiple of 2 MiB")
    if guest.ram_end > SPACE_END:
        raise Mistake("the RAM ends above 4 GiB")


def overlap(a: Fields, b: Fields) -> bool:
    return (a["ipa"] < b["ipa"] + b["size"]
            and b["ipa"] < a["ipa"] + a["size"])


def check_place(guest: Guest, load: Fields) -> None:
    """Check that a load is wholly inside the guest's RAM or wholly outside, where it is mapped in
    pages."""
    end = load["ipa"] + load["size"]
    ram = {"ipa": guest.fields["ram"], "size": guest.fields["ram_mib"] << 20}
    if end > SPACE_END:
        raise Mistake("the load ends above 4 GiB")
    if guest.in_ram(load["ipa"]):
        if end > guest.ram_end:
            raise Mistake("the load ends beyond the guest's RAM")
    elif overlap(load, ram):
        raise Mistake("the load reaches into the guest's RAM")
    elif load["ipa"] % LOAD_GRAIN:
        raise Mistake("ipa of a load outside of RAM is not a multiple of 4 KiB")


def add_load(guest: Guest, words: list[str]) -> None:
    check_room(len(guest.loads), "loads", "PLAN_LOAD_MAX")
    load = numbers(words, "field", "PLAN_LOAD_FIELDS")
    if not load["size"]:
        raise Mistake("a load's size is missing")
    if load["store"] % LOAD_GRAIN:
        raise Mistake("store is not a multiple of 4 KiB")
    check_place(guest, load)
    if any(overlap(load, earlier) for earlier in guest.loads):
        raise Mistake("the load overlaps another")
    guest.loads.append(load)


def check_guest(guest: Guest) -> None:
    """Check a guest after all its lines are read."""
    if guest.recipe:
        return
    if not guest.loads:
        raise Mistake("the guest has no load line")
    entry, dtb = guest.fields["entry"], guest.fields["dtb"]
    if entry % 4 or not guest.is_there(entry):
        raise Mistake("entry is not in the guest's RAM or a load, or not aligned")
    if dtb and not guest.is_there(dtb):
        raise Mistake("dtb is not in the guest's RAM or a load")


def numbers_in(text: str, end: int) -> list[int]:
    """Parse numbers N and ranges N-M with commas between them, each number below `end`. Return an
    empty list if the text is wrong."""
    values: list[int] = []
    for part in text.split(","):
        match = re.fullmatch("([0-9]{1,3})(?:-([0-9]{1,3}))?", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, -1)
        if not first <= last < end:
            return []
        values += range(first, last + 1)
    return values


def cores_of(word: str, text: str) -> tuple[int, ...]:
    """Return the core of each vCPU."""
    cores = numbers_in(text, CORE_MAX)
    if not cores:
        raise Mistake(f"wrong cores {quoted(word)}; valid: 0 to {CORE_MAX - 1}, one for each"
                      " vCPU, like 0,2 or 0-1")
    return tuple(cores)


def colours_of(name: str, image: str, fields: dict[str, str]) -> tuple[int, ...]:
    if "colours" not in fields:
        return ()
    if image == BACKGROUND:
        raise Mistake(f"colours= is of a VM's RAM, vm {quoted(name)} has image={image} and none")
    colours = numbers_in(fields["colours"], COLOURS)
    if not colours:
        raise Mistake(f"wrong colours {quoted('colours=' + fields['colours'])}; valid: a set of 0"
                      f" to {COLOURS - 1}, like 0-7 or 1,3")
    return tuple(sorted(set(colours)))


def vm_of(words: list[str]) -> tuple[str, dict[str, str]]:
    """Parse the words after `vm`: a name, and settings for make_vm()."""
    name = name_of(words)
    for word in words:
        if word.partition("=")[0] == "sched":
            raise Mistake(f"the policy applies to cores, not to one VM: config NAME {word}")
    return name, dict(settings(words, "field", VM_WORDS))


def make_vm(name: str, fields: dict[str, str], guests: dict[str, Guest]) -> Vm:
    """Return the VM with the settings of its line, and the image's defaults for the settings that
    the line lacks. A line without an image has its name as image."""
    image = fields.get("image", name)
    if image not in (*OWN_IMAGES, *guests):
        valid = (*OWN_IMAGES, *guests)
        raise (unknown("unknown image", image, valid) if "image" in fields else
               missing("image", image, valid))
    guest = guests.get(image)
    defaults = {"cpus": guest.fields["cpus"] if guest else 1,
                "ram_mib": (guest.fields["ram_mib"] if guest else
                            LOAD_MIB * (image in (LOAD, CONTROL))),
                "prio": BESIDE if image in NEIGHBOURS else URGENT}
    values = {key: (number(f"{key}={fields[key]}", fields[key], *limits) if key in fields
                    else defaults[key])
              for key, limits in abi.numbers("PLAN_VM_FIELDS").items()}
    cores = (cores_of(f"cores={fields['cores']}", fields["cores"]) if "cores" in fields
             else tuple(range(values["cpus"])))
    most = abi.numbers("PLAN_VM_FIELDS")["cpus"][1]
    if len(cores) > most:
        raise Mistake(f"cores={fields['cores']} has {len(cores)} cores, at most {most}: one for"
                      " each vCPU")
    if "cpus" in fields and len(cores) != values["cpus"]:
        raise Mistake(f"cpus={values['cpus']}, but cores={fields['cores']} has {len(cores)}: one"
                      " for each vCPU")
    if len(set(cores)) < len(cores):
        raise Mistake(f"cores={fields['cores']}: each vCPU of a VM has a core of its own")
    if image in (BACKGROUND, CONTROL) and len(cores) > 1:
        raise Mistake(f"image={image} has one vCPU, vm {quoted(name)} {len(cores)}")
    if image in (BENCH, BACKGROUND) and values["ram_mib"]:
        raise Mistake(f"ram_mib is for guests and loads, vm {quoted(name)} has image={image}")
    if image in (LOAD, CONTROL) and not LOAD_MIB <= values["ram_mib"] <= LOAD_MIB_MAX:
        raise Mistake(f"ram_mib={values['ram_mib']} of vm {quoted(name)}, image={image}; valid:"
                      f" {LOAD_MIB} to {LOAD_MIB_MAX}")
    if guest:
        check_with_ram(sized_guest(guest, values["ram_mib"]))
    return Vm(image, cores, values["ram_mib"], values["prio"], load_of(name, image, fields),
              colours_of(name, image, fields),
              tuple(name_of([config]) for config in fields.get("configs", "").split(",") if config))


def load_of(name: str, image: str, fields: dict[str, str]) -> str:
    load = fields.get("load", "")
    if "load" in fields and image != LOAD:
        raise Mistake(f"load= is for image={LOAD}, vm {quoted(name)} has image={image}")
    if "load" in fields and load not in OWN_LOADS:
        raise unknown("unknown load", load, OWN_LOADS)
    return load


def sized_guest(guest: Guest, ram_mib: int) -> Guest:
    """Return the guest in a VM with this much RAM."""
    return replace(guest, fields=guest.fields | {"ram_mib": ram_mib})


def check_with_ram(guest: Guest) -> None:
    check_ram(guest)
    for load in guest.loads:
        check_place(guest, load)
    check_guest(guest)


def usual_vms(guests: dict[str, Guest], configs: Collection[dict[str, str]]) -> dict[str, Vm]:
    """Return the VMs of a plan without vm lines: the VM of the guest or of the benchmarks, and the
    neighbours that the configurations need. A background VM and a load have core 0, another load
    has core 1, and a control VM has core 2."""
    if len(guests) > 1:
        raise Mistake(f"{len(guests)} guests need vm lines: vm NAME image={next(iter(guests))}")
    kinds = {(axes["sched"] != "null", axes["beside"] != "none") for axes in configs}
    vms = {name: make_vm(name, {}, guests) for name in guests or [BENCH]}
    if (True, False) in kinds and not guests:
        vms[BACKGROUND] = make_vm(BACKGROUND, {}, guests)
    for core, shares in enumerate((True, False)):
        if (shares, True) in kinds:
            vms[f"{LOAD}{core}"] = make_vm(LOAD, {"cores": str(core)}, guests)
    if any(axes["beside"] == COMMANDED for axes in configs):
        vms[CONTROL] = make_vm(CONTROL, {"cores": "2"}, guests)
    return vms


def mark_neighbours(vms: dict[str, Vm], guests: Collection[str],
                    configs: Iterable[dict[str, str]]) -> None:
    """Mark the guests that take part only in configurations with beside=linux."""
    if any(axes["beside"] == LINUX for axes in configs):
        for vm in vms.values():
            vm.beside = vm.image in guests


def measured_vm(vms: dict[str, Vm]) -> str:
    """Return the VM with benchmarks, or else the first VM."""
    return next((name for name, vm in vms.items() if vm.image == BENCH), next(iter(vms)))


def most_ram(vms: dict[str, Vm], configs: Collection[dict[str, str]]) -> int:
    """Return the largest sum of RAM, in MiB, of the VMs of one configuration."""
    return max(sum(vm.window_mib(axes["colouring"] == "on")
                   for vm in taking_part(vms, axes).values()) for axes in configs)


def taking_part(vms: dict[str, Vm], axes: dict[str, str]) -> dict[str, Vm]:
    """Return the VMs that take part in a configuration. `axes` has the configuration's words, and
    its name as CONFIG.

    Background VMs take part with beside=none, and loads take part in their place if `beside` names
    a load. A load with a `load=` of its own takes part with every `beside`. A guest that is marked
    `beside` takes part with beside=linux, and a control VM where it commands a pair. A VM with
    configs= takes part in those configurations alone.

    With sched=null a neighbour or a marked guest takes no part if another VM has its core. With
    other policies a load without a `load=` or a marked guest takes part only if it shares its core.
    """
    null, loaded, linux = (axes["sched"] == "null", axes["beside"] != "none",
                           axes["beside"] == LINUX)
    part = {BACKGROUND: not loaded, LOAD: loaded and not linux,
            CONTROL: axes["beside"] == COMMANDED}
    config = axes.get(CONFIG)
    candidates = {name: vm for name, vm in vms.items()
                  if (vm.load or part.get(vm.image, linux or not vm.beside))
                  and (not vm.configs or config in vm.configs)}

    def shares(name: str) -> bool:
        others = chain(*(vm.cores for other_name, vm in candidates.items() if other_name != name))
        return bool(set(candidates[name].cores) & set(others))
    return {name: vm for name, vm in candidates.items()
            if not (null and (vm.image in NEIGHBOURS or vm.beside) and shares(name))
            and not (not null and (vm.image == LOAD and not vm.load or vm.beside)
                     and not shares(name))}


def check_vms(vms: dict[str, Vm], guests: dict[str, Guest], benches: bool,
              configs: Collection[str]) -> None:
    """Check all VMs after the whole plan is read."""
    for name, vm in vms.items():
        for config in vm.configs:
            if config not in configs:
                raise unknown(f"configs= of vm {quoted(name)}: no config", config, configs)
    if vms[measured_vm(vms)].configs:
        raise Mistake(f"vm {quoted(measured_vm(vms))} takes part in every config")
    images = [vm.image for vm in vms.values()]
    idle = next((name for name in guests if name not in images), None)
    if idle is not None:
        raise Mistake(f"no vm line has the guest {quoted(idle)}: vm NAME image={idle}")
    if benches and BENCH not in images:
        raise Mistake(f"no VM has the benchmarks: vm NAME image={BENCH}")
    if images.count(BENCH) > 1:
        raise Mistake(f"two VMs with image={BENCH}: only one VM can measure")
    if not benches and BENCH in images:
        raise Mistake(f"image={BENCH} needs a bench line")
    if set(images) <= set(NEIGHBOURS):
        raise Mistake(f"no VM beside the {images[0]}: vm NAME image={BENCH}")


def link_of(words: list[str]) -> tuple[str, Link]:
    """Parse the words after `link`: NAME kind=KIND a=VM b=VM."""
    name, fields = name_of(words), dict(settings(words, "field", LINK_WORDS))
    lacking = next((key for key in LINK_WORDS if key not in fields), None)
    if lacking:
        raise Mistake(f"link {quoted(name)} has no {lacking}=; it needs {', '.join(LINK_WORDS)}")
    if fields["kind"] not in LINK_KINDS:
        raise unknown("unknown kind", fields["kind"], LINK_KINDS)
    return name, Link(**fields)


def check_link(vms: dict[str, Vm], name: str, link: Link) -> None:
    for end in (link.a, link.b):
        if end not in vms:
            raise unknown("no vm", end, vms)
        image = vms[end].image
        if image == BACKGROUND or (link.kind == "doorbell" and image not in (BENCH, LOAD)):
            raise Mistake(f"link {quoted(name)} needs VMs with image={BENCH} or {LOAD}, or, of"
                          f" kind=virtio, with a guest; vm {quoted(end)} has image={image}")
    if link.a == link.b:
        raise Mistake(f"link {quoted(name)} has vm {quoted(link.a)} at both ends")


def usual_links(vms: dict[str, Vm], configs: Collection[dict[str, str]]) -> dict[str, Link]:
    """Return the links of a plan without link lines: a doorbell to each load that answers."""
    echoes = [taking_part(vms, axes) for axes in configs if axes["beside"] == "load_echo"]
    loads = [name for name, vm in vms.items()
             if vm.image == LOAD and any(name in present for present in echoes)]
    return {f"link{i}": Link("doorbell", measured_vm(vms), name) for i, name in enumerate(loads)}


def check_links(links: dict[str, Link], vms: dict[str, Vm], config: str, axes: dict[str, str]
                ) -> None:
    """Check a configuration's links: at most one for each VM, with interrupts that EL2 can
    inject."""
    present = taking_part(vms, axes)
    ends = [end for link in links.values() if link.a in present and link.b in present
            for end in (link.a, link.b)]
    twice = next((end for end in ends if ends.count(end) > 1), None)
    if twice:
        raise Mistake(f"vm {quoted(twice)} has two links in config {quoted(config)}, at most one")
    for name, vm in present.items():
        partner = OTHER_END.get(vm.load or axes["beside"])
        if vm.image == LOAD and name not in ends and partner:
            raise Mistake(f"vm {quoted(name)} needs a link to {partner} in config {quoted(config)}")
    for name, link in links.items():
        if (axes["irq"] != "trapped" and {link.a, link.b} <= present.keys()
                and (link.kind != "doorbell" or measured_vm(vms) in (link.a, link.b))):
            raise Mistake(f"link {quoted(name)} needs irq=trapped, or kind=doorbell between two"
                          f" loads: irq=direct in config {quoted(config)}")


def check_colours(vms: dict[str, Vm], config: str, axes: dict[str, str]) -> None:
    if axes["colouring"] == "on" and not any(vm.colours for vm in vms.values()):
        raise Mistake("colouring=on needs a VM with colours (vm NAME colours=0-7): config"
                      f" {quoted(config)}")


def check_event(vms: dict[str, Vm], event: Event) -> None:
    for name in (event.vm, event.of):
        if name and name not in vms:
            raise unknown("no vm", name, vms)
    if event.of and vms[event.of].image == BENCH:
        raise Mistake("the step is over when the VM with the benchmarks ends")
    if vms[event.vm].image == BENCH and event.kind not in EVENTS_OF_BENCH:
        raise Mistake(f"{event.kind} of the VM with the benchmarks; valid:"
                      f" {' '.join(EVENTS_OF_BENCH)}")


def check_cores(vms: dict[str, Vm], config: str, axes: dict[str, str]) -> None:
    """Check that a configuration, whose words are `axes`, allows its VMs to share their cores."""
    policy, running = axes["sched"], taking_part(vms, axes)
    on_core: dict[int, list[str]] = {}
    for name, vm in running.items():
        for core in vm.cores:
            on_core.setdefault(core, []).append(name)
    images = [vm.image for vm in running.values()]
    idle = next((name for name, vm in vms.items() if config in vm.configs and name not in running),
                None)
    if idle is not None:
        raise Mistake(f"vm {quoted(idle)} has configs={config}, whose sched and beside leave it"
                      " out")
    if axes["beside"] == COMMANDED and images.count(CONTROL) != 1:
        raise Mistake(f"beside={COMMANDED} needs one control VM (vm NAME image={CONTROL} cores=N):"
                      f" config {quoted(config)}")
    for name, vm in running.items():
        if len(vm.cores) > 1 and vm.image in OWN_IMAGES and (
                axes["irq"] != "trapped" or axes["fill"] == "lazy"):
            raise Mistake(f"vm {quoted(name)} has several vCPUs: they need irq=trapped and"
                          f" fill=eager in config {quoted(config)}")
    if axes["beside"] != "none" and not any(
            vm.beside if axes["beside"] == LINUX else (vm.image, vm.load) == (LOAD, "")
            for vm in running.values()):
        where = "a core of its own" if policy == "null" else "another VM's core"
        noun, image = ("a guest", "GUEST") if axes["beside"] == LINUX else ("a load", LOAD)
        raise Mistake(f"beside={axes['beside']} with sched={policy} needs {noun} on {where}"
                      f" (vm NAME image={image} cores=N): config {quoted(config)}")
    full = next((core for core, names in on_core.items() if len(names) > 1), None)
    if policy == "null" and full is not None:
        names = " and ".join(dict.fromkeys(on_core[full]))
        raise Mistake(f"several vCPUs on core {full} ({names}) need sched=rr or fp: sched=null in"
                      f" config {quoted(config)}")
    if policy != "null" and full is None:
        raise Mistake(f"no core has several vCPUs: sched={policy} in config {quoted(config)}")
    first = next((core for core, names in on_core.items() if len(names) > 1
                  and any(vms[name].image not in OWN_IMAGES for name in names)), None)
    if axes["fp"] == "static" and first is not None:
        raise Mistake(f"guests on core {first} with another VM need fp=lazy or eager: fp=static in"
                      f" config {quoted(config)}")
    if axes["irq"] == "trapped":
        return
    if any(vm.image not in (BENCH, LOAD) and not vm.beside for vm in running.values()) and (
            len(running) > 1):
        raise Mistake(f"several VMs need irq=trapped: irq=direct in config {quoted(config)}")
    if vms[measured_vm(vms)].cores[0] != 0:
        raise Mistake(f"a guest on another core than 0 needs irq=trapped: irq=direct in config"
                      f" {quoted(config)}")


def vm_line(name: str, vm: Vm) -> str:
    ram = f" ram_mib={vm.ram_mib}" if vm.ram_mib else ""
    load = f" load={vm.load}" if vm.load else ""
    colours = f" colours={','.join(map(str, vm.colours))}" if vm.colours else ""
    configs = f" configs={','.join(vm.configs)}" if vm.configs else ""
    return (f"vm {name} image={vm.image} cores={','.join(map(str, vm.cores))}{ram}"
            f" prio={vm.prio}{load}{colours}{configs}")


def link_line(name: str, link: Link) -> str:
    return f"link {name} kind={link.kind} a={link.a} b={link.b}"


def numbers_of(fields: Fields) -> str:
    """Return the fields as words name=number. Addresses and sizes in bytes are hexadecimal."""
    return "".join(f" {name}={value if name in ('cpus', 'ram_mib') else hex(value)}"
                   for name, value in fields.items())


def guest_lines(name: str, guest: Guest) -> list[str]:
    recipe = f" {RECIPE}{guest.recipe}" if guest.recipe else ""
    return [f"guest{'' if name == GUEST else f' {name}'}{recipe}{numbers_of(guest.fields)}",
            *(f"load{numbers_of(load)}" for load in guest.loads)]
