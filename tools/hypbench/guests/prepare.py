# SPDX-License-Identifier: Apache-2.0
"""Prepare a guest for its run. A user's wishes or a plan's recipe give the guest's files in the
store and the guest's plan: one configuration, a `guest` line and a `load` line for each file."""

from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypbench.guests import devicetree, formats
from hypbench.guests.machine import (MIB, BadGuest, Board, Machine, machine_of, read_board,
                                     size_of, size_text)
from hypbench.guests.placement import DTB_ROOM, Layout, Load, Piece, loads, place
from hypbench.guests.recipes import USER_IMAGE, BUILT_BY_HAND, RECIPES
from hypbench.plan_model import ORDERS, Plan, config_of, words_of
from hypbench.plan_vms import GUEST, Guest, usual_vms
from hypbench.plan_words import Mistake, nearest
from hypbench.tree import LOCK, Tree, write_whole

# QEMU's GICv2 does not sample a timer's line again when a list register deactivates its interrupt.
# With the host's clock the timer may be due again by then, and its interrupt is lost (CAVEATS.md).
# lr=sw avoids this loss.
USUAL_CONFIG = "trapped"


@dataclass(frozen=True)
class Wish:
    """The user's words about a guest and its run."""

    board: str
    image: Path
    config: str = USUAL_CONFIG
    dtb: Path | None = None
    initrd: Path | None = None
    arguments: str = ""
    ram: str = "256M"
    cpus: int = 1
    address: int | None = None
    stats: bool = False
    clock: str = "icount"
    limit_s: float | None = None
    guest_status: str | None = None
    network: bool = False  # the machine has an end of a link of kind=virtio


@dataclass(frozen=True)
class Prepared:
    board: Board
    machine: Machine
    image: formats.Image
    layout: Layout
    loads: list[Load]
    plan: Plan


def settings(config: str) -> dict[str, str]:
    """Return each axis of a configuration with its value."""
    try:
        return words_of(config_of(config.split())[1])
    except Mistake as mistake:
        raise BadGuest(f"CONFIG={config}: {mistake}") from mistake


def plan_of(config: str, stats: bool, machine: Machine, layout: Layout, loads: list[Load]) -> Plan:
    """Return a plan whose step has no end: the guest, its user or the host tool's limit ends it."""
    words = config + (" stats=on" if stats and "stats=" not in config else "")
    guests = {GUEST: guest_of(machine, layout, loads)}
    configs = dict([config_of(words.split())])
    return Plan(name=GUEST, order=ORDERS.index("once"), limit_ms=0, configs=configs, guests=guests,
                vms=usual_vms(guests, [words_of(axes) for axes in configs.values()]))


def guest_of(machine: Machine, layout: Layout, loads: list[Load]) -> Guest:
    return Guest({"ram": machine.ram, "ram_mib": machine.ram_size // MIB, "cpus": machine.cpus,
                  "entry": layout.entry, "dtb": layout.dtb},
                 [{"store": load.store, "ipa": load.ipa, "size": load.size} for load in loads])


def check_recipe(word: str) -> None:
    """Check that the guest has a recipe. The message for an unknown word has the nearest word, or
    the way to build the guest."""
    if instructions := BUILT_BY_HAND.get(word):
        raise BadGuest(f"GUEST={word}: no such file, and no package has one: {instructions}"
                       f" (docs/howto/rtos.md)")
    if word not in RECIPES:
        near = nearest(word, RECIPES)
        raise BadGuest(f"GUEST={word}: no such file, and no guest of that name"
                       f"{near and f', nearest {near!r}'}; valid: {' '.join(RECIPES)}")


def check_guest(tree: Tree, wish: Wish) -> None:
    """Check that a wish is possible. The check fetches nothing and needs no image of the board."""
    if not wish.image.exists():
        check_recipe(str(wish.image))
        check_wish(tree, wish)
        return
    with TemporaryDirectory(prefix="hypbench-") as folder:
        prepare(tree, wish, Path(folder))


def with_recipe(tree: Tree, wish: Wish, folder: Path) -> Wish:
    """Return the wish with the recipe's files and settings; the recipe's initramfs goes to the
    folder."""
    check_recipe(str(wish.image))
    recipe = RECIPES[str(wish.image)](tree.board_fact(wish.board, "ISA"))
    initrd = wish.initrd
    if recipe.initrd and not initrd:
        initrd = folder / f"{wish.image}-initrd"
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(initrd, recipe.initrd)
    return replace(wish, image=recipe.image, initrd=initrd,
                   arguments=wish.arguments or recipe.arguments,
                   address=recipe.address if wish.address is None else wish.address)


def with_guest_images(tree: Tree, board: str, plan: Plan, folder: Path) -> tuple[Plan, list[str]]:
    """Return a plan with the images of its recipe's guest in place, and QEMU's options that load
    them. `folder` gets the files."""
    entry = guest_to_place(plan)
    if not entry:
        return plan, []
    name, guest = entry
    config = config_for(tree, board, plan)
    wish = (Wish(board, guest.image, config) if guest.image else
            with_recipe(tree, Wish(board, Path(guest.recipe), config), folder))
    prepared = prepare(tree, wish, folder / "guest-images")
    placed = guest_of(prepared.machine, prepared.layout, prepared.loads)
    return (replace(plan, guests=plan.guests | {name: placed}),
            [word for load in prepared.loads for word in load.option(prepared.board)])


def guest_to_place(plan: Plan) -> tuple[str, Guest] | None:
    """Return the guest of a plan whose images the host tool places, or None."""
    guests = [(name, guest) for name, guest in plan.guests.items() if guest.recipe]
    if len(guests) > 1:
        raise BadGuest("a scenario has one guest with a recipe at most")
    for _, guest in guests:
        check_recipe_of(guest)
    return guests[0] if guests else None


def check_recipe_of(guest: Guest) -> None:
    """Check that the recipe of a guest exists, and that recipe=image has a file of the user."""
    valid = (*RECIPES, USER_IMAGE)
    if guest.recipe not in valid:
        near = nearest(guest.recipe, valid)
        raise BadGuest(f"recipe={guest.recipe}: no guest of that name"
                       f"{near and f', nearest {near!r}'}; valid: {' '.join(valid)}")
    if guest.recipe == USER_IMAGE and not guest.image:
        raise BadGuest("this scenario runs an image of yours, and GUEST= names none; give"
                       " GUEST=<its file> (docs/howto/latency-measure.md)")


def with_image(plan: Plan, image: Path | None) -> Plan:
    """Return the plan whose guest with recipe=image has the user's image."""
    guests = {name: guest for name, guest in plan.guests.items() if guest.recipe == USER_IMAGE}
    if image and not guests:
        raise BadGuest(f"GUEST={image}: this scenario runs no image of yours; latency-measure does,"
                       " and so does make run-guest")
    if image and not image.is_file():
        raise BadGuest(f"GUEST={image}: no such file")
    return replace(plan, guests=plan.guests | {
        name: replace(guest, image=image) for name, guest in guests.items()})


def check_placing(tree: Tree, board: str, plan: Plan) -> None:
    """Check that this tool can place the images of a plan's guest. The check fetches nothing."""
    entry = guest_to_place(plan)
    if entry and entry[1].image:
        with TemporaryDirectory(prefix="hypbench-") as folder:
            with_guest_images(tree, board, plan, Path(folder))


def config_for(tree: Tree, board: str, plan: Plan) -> str:
    """Return the configuration for which the tool places a plan's guest. A plan with a native
    configuration has that configuration, because RAM is then the board's own; devices have the same
    address with stage 2 and without."""
    without_stage2 = {words_of(config)["stage2"] == "off" for config in plan.configs.values()}
    if True not in without_stage2:
        return USUAL_CONFIG
    facts = read_board(tree, board)
    board_machine, virt_machine = (
        replace(machine_of(facts, 1, MIB * 2, native), ram=0, native=False)
        for native in (True, False))
    if False in without_stage2 and board_machine != virt_machine:
        raise BadGuest(f"board '{board}' has its devices at other addresses than QEMU's virt: a"
                       " guest with a recipe runs there natively, or with stage 2, in a scenario"
                       " of its own")
    return "native"


def check_wish(tree: Tree, wish: Wish) -> tuple[Board, Machine, bytes | None]:
    """Check all words and files of a wish except its image. Return the board, the guest's machine,
    and the user's device tree if there is one."""
    axes = settings(wish.config)
    board = read_board(tree, wish.board)
    machine = machine_of(board, wish.cpus, size_of(wish.ram), native=axes["stage2"] == "off")
    if wish.cpus > 1 and axes["irq"] != "trapped":
        raise BadGuest(f"CPUS={wish.cpus}: several vCPUs need irq=trapped, which CONFIG="
                       f"{wish.config} has not; CONFIG={USUAL_CONFIG} has")
    devicetree.check_arguments(wish.arguments)
    user_tree = devicetree.read(wish.dtb) if wish.dtb else None
    if wish.initrd:
        formats.check_file(wish.initrd, "GUEST_INITRD", board.store_size,
                           "the board's store for images")
    return board, machine, user_tree


def prepare(tree: Tree, wish: Wish, folder: Path) -> Prepared:
    """Prepare a guest. This function reports every mistake before QEMU starts."""
    board, machine, user_tree = check_wish(tree, wish)
    image = formats.read_image(wish.image, board.isa, board.store_size, wish.address is not None)
    try:
        layout = place(image, machine, wish.address, wish.initrd)
        guest_loads = store_files(wish, board, machine, layout, user_tree, folder)
    except BadGuest as error:
        raise BadGuest(f"GUEST={wish.image}: {error.message}") from error
    plan = plan_of(wish.config, wish.stats, machine, layout, guest_loads)
    return Prepared(board, machine, image, layout, guest_loads, plan)


def store_files(wish: Wish, board: Board, machine: Machine, layout: Layout, user_tree: bytes | None,
                folder: Path) -> list[Load]:
    """Write the files in the order of the store. The folder may hold an earlier guest's files."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.name != LOCK:
            path.unlink()
    blob = (devicetree.make(machine, layout, wish.arguments, folder, wish.network)
            if user_tree is None
            else devicetree.complete_tree(user_tree, layout, wish.arguments, folder))
    size = blob.stat().st_size
    if size > DTB_ROOM:
        raise BadGuest(f"the device tree has {size_text(size)}; at most"
                       f" {size_text(DTB_ROOM)} can be")
    tree = Piece("the device tree", layout.dtb, size, blob)
    return loads([*layout.image, tree, *([layout.initrd] if layout.initrd else [])], board, folder)
