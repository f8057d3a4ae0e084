# SPDX-License-Identifier: Apache-2.0
"""The commands about scenarios list scenarios, check one, show the scenario of an image, put a
scenario into an image, and convert old plans."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from hypbench import formats, plan as plans, scenario, store
from hypbench.boards import images
from hypbench.guests.recipes import USER_IMAGE
from hypbench.options import PATH
from hypbench.plan_binary import core_count
from hypbench.plan_language import parse
from hypbench.plan_model import PLATFORMS, Plan
from hypbench.plan_words import PlanError
from hypbench.possible import check_run
from hypbench.qemu import PLATFORM_OF_CLOCK
from hypbench.scenario_schema import NEEDS
from hypbench.scenario_text import toml_of
from hypbench.tree import Tree, UnknownName, read_bytes, read_text, write_whole

COLUMNS = "  {:18s} {}"
CLOCK = ("Exact counts on QEMU need CLOCK=icount, the default; CLOCK=host shows the function alone,"
         " not the cost.")


@dataclass(frozen=True)
class ListedScenario:
    """A scenario with the texts that `hypbench scenarios` prints."""

    question: str
    word: str
    title: str
    needs: list[str]


def listed_scenarios(tree: Tree) -> Iterator[ListedScenario]:
    for word, path in tree.scenario_files().items():
        heading = scenario.heading(read_text(path), word)
        yield ListedScenario(heading.get("question", "(no question)"), word,
                             heading.get("title", ""),
                             needs_of(tree.plan(word), heading.get("needs", [])))


def needs_of(plan: Plan, words: list[str]) -> list[str]:
    """Return everything that a scenario needs beyond one core of QEMU."""
    cores = core_count(plan)
    return [*([f"{cores} cores"] if cores > 1 else []),
            *("an image of yours, GUEST=" if guest.recipe == USER_IMAGE else
              f"Debian's images for {guest.recipe} from the network"
              for guest in plan.guests.values() if guest.recipe),
            *(NEEDS[word] for word in words)]


@click.command()
@click.pass_obj
def scenarios(tree: Tree) -> None:
    """List the scenarios by their questions, with what each needs."""
    by_question: dict[str, list[ListedScenario]] = {}
    for entry in sorted(listed_scenarios(tree), key=lambda entry: entry.word != "default"):
        by_question.setdefault(entry.question, []).append(entry)
    for question, group in by_question.items():
        click.echo(question)
        for entry in group:
            needs = f" (needs {', '.join(entry.needs)})" if entry.needs else ""
            click.echo(COLUMNS.format(entry.word, f"{entry.title}{needs}"))
    click.echo(CLOCK)


@click.command("check-scenario")
@click.argument("word", metavar="SCENARIO")
@click.option("--clock", type=click.Choice(list(PLATFORM_OF_CLOCK)), default="icount")
@click.option("--board", metavar="B", help="Also check that board B can run the scenario here.")
@click.option("--cost", is_flag=True, help="Also check that costs can be counted on the board.")
@click.option("--guest", type=PATH, metavar="IMAGE", help="The image of a guest with recipe=image.")
@click.option("--save", metavar="NAME", help="Also check the name of the kept run.")
@formats.FORMAT
@click.pass_obj
def check_scenario(tree: Tree, word: str, clock: str, board: str | None, cost: bool,
                   guest: Path | None, save: str | None, targets: list[formats.Target]) -> None:
    """Report every mistake of SCENARIO, a word or a file, and of `run`'s words; build nothing."""
    del targets  # click has read and checked the option
    if save is not None:
        store.check_name(save)
    if not board:
        tree.plan(word)
        return
    check_run(tree, board, word, guest)
    if cost:
        # Every make of an image calls this command, which seldom needs the slow module.
        from hypbench import costing

        costing.check_possible(tree, board, clock, guest)


@click.command("show-scenario")
@click.argument("image", type=PATH)
def show_scenario(image: Path) -> None:
    """Print the scenario in IMAGE, each inherited setting and each default VM spelled."""
    plan = plans.read_plan(read_bytes(image))
    comment = f"# {plan.name or 'without a name'}, for platform {PLATFORMS[plan.platform]}"
    click.echo(f"{comment} {plan.machine}".rstrip())
    click.echo(toml_of(plan), nl=False)


@click.command()
@click.argument("plan", type=PATH)
@click.option("-o", "--output", type=PATH, help="The scenario's file; without it, stdout.")
def convert(plan: Path, output: Path | None) -> None:
    """Write the scenario that PLAN, a file of the old line language, means.

    The comment before the first line becomes the question.
    """
    text = read_text(plan)
    try:
        parsed = parse(text)
    except PlanError as error:
        raise UnknownName(f"{plan}:{error.line}: {error.message}") from error
    lines = iter(text.splitlines())
    comment = []
    for line in lines:
        if not line.startswith("#"):
            break
        comment.append(line.removeprefix("#").strip())
    toml = toml_of(parsed, plan.stem, " ".join(comment))
    if output:
        write_whole(output, toml)
    else:
        click.echo(toml, nl=False)


@click.command()
@click.argument("image", type=PATH)
@click.option("--scenario", "word", required=True, metavar="S",
              help="A word that `hypbench scenarios` lists, or a file.")
@click.option("-o", "--output", type=PATH, required=True, help="The image to write.")
@click.option("--platform", type=click.Choice(PLATFORMS), help="The machine to execute the image.")
@click.pass_obj
def patch(tree: Tree, image: Path, word: str, output: Path, platform: str | None) -> None:
    """Write a copy of IMAGE with another scenario in it.

    IMAGE is an ELF, a raw or arm64 Image, a uImage or a FIT; their checksums are renewed. A card's
    image is made anew instead: `make sdcard SCENARIO=…`.
    """
    write_whole(output, images.patch(read_bytes(image), tree.plan(word), platform))


COMMANDS = (scenarios, check_scenario, show_scenario, convert, patch)
