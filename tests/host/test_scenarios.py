# SPDX-License-Identifier: Apache-2.0
"""Scenarios: the meaning of their keys, the line of every mistake in a file, and the schema.
golden/scenarios.txt has scenarios, and below each scenario the parts of its plan. The transcripts
have the list of scenarios and the conversion of old plans."""

import json
import re

import pytest

from golden import FOLDER, check_block
from hypbench import abi
from hypbench.checks.reference import scenarios_by_axis
from hypbench.plan_language import parse
from hypbench.scenario import ScenarioError, read
from hypbench.scenario_places import places
from hypbench.scenario_schema import mistakes, schema
from hypbench.scenario_text import toml_of
from hypbench.tree import HOME, Tree
from planlines import plan_lines
from test_plan_language import parts_of

TREE = Tree()
SCENARIOS = (FOLDER / "scenarios.txt").read_text().rstrip().split("\n\n")
BENCHES = ["hvc", "smc"]
START = 'bench = [{ name = "hvc" }]\n'
TRAPPED = f"{START}[config.trapped]\n"


def read_mine(text: str, name: str = "mine"):
    return read(text, name, validate=mistakes, benches=BENCHES)


def mistakes_in(text: str, name: str = "mine") -> list[tuple[int, str]]:
    with pytest.raises(ScenarioError) as caught:
        read_mine(text, name)
    assert str(caught.value).splitlines() == [f"{name}.toml:{line}: {message}"
                                              for line, message in caught.value.mistakes]
    return caught.value.mistakes


def test_a_scenario_shows_the_cost_of_each_axis():
    """The axis `traps` is a part of the presets, and `cycles` is a second clock, which is not a
    cost."""
    scenarios = scenarios_by_axis(TREE)
    assert [axis for axis, values in abi.axes().items()
            if values and not scenarios[axis]] == ["traps", "cycles"]
    assert scenarios["frame"] == ["traps"] and "sched" in scenarios["errata"]
    assert "profile" not in scenarios["stage2"]  # its `lazy` differs in `fill`, too


# --- the meaning of a scenario ---

@pytest.mark.parametrize("word", TREE.scenarios())
def test_a_scenario_is_what_its_lines_and_its_own_text_mean(word):
    plan = TREE.plan(word)
    assert plan.name == word and parse(plan_lines(word)) == plan
    assert read(toml_of(plan), word, validate=mistakes) == plan


def meaning(block: str) -> str:
    """Return the scenario with the parts of its plan; the first line has the scenario's name."""
    lines = [line for line in block.splitlines() if not line.startswith("= ")]
    try:
        parts = parts_of(read_mine("\n".join(lines), lines[0][2:].partition(":")[0]))
    except ScenarioError as error:
        parts = iter(str(error).splitlines())
    return "\n".join([*lines, *(f"= {part}" for part in parts)])


@pytest.mark.parametrize("block", SCENARIOS, ids=lambda block: block.splitlines()[0][2:])
def test_a_scenario_means_what_is_below_it(block):
    check_block("scenarios.txt", block, meaning(block))


# --- mistakes ---

REFUSED = "refused-scenario.txt"
MARK = "^ "


def answered(text: str) -> str:
    """Return the file with each message below the wrong line."""
    lines = [line for line in text.splitlines() if not line.startswith(MARK)]
    messages: dict[int, list[str]] = {}
    for line, message in mistakes_in("\n".join([*lines, ""])):
        messages.setdefault(line, []).append(MARK + message)
    return "".join(f"{text}\n" for number, line in enumerate(lines, 1)
                   for text in [line, *messages.get(number, [])])


def test_every_mistake_of_a_file_is_reported_with_its_line():
    text = (FOLDER / REFUSED).read_text()
    assert text.count(f"\n{MARK}") == 20
    check_block(REFUSED, text, answered(text))


def test_what_is_no_toml_has_its_line():
    (line, message), = mistakes_in('title = "x"\norder = once\n')
    assert line == 2 and message.startswith("no TOML: Invalid value")
    assert mistakes_in("[config.native]\n[config.native]\n")[0][0] == 2


@pytest.mark.parametrize("text, line, message", [
    (f"{TRAPPED}[vm.a]\nimage = \"bench\"\ncores = [1]\n[config.direct]\n", 6,
     "a guest on another core than 0 needs irq=trapped: irq=direct in config 'direct'"),
    (f"{TRAPPED}[vm.bench]\n[[event]]\nat_us = 1\ndo = \"reset\"\nvm = \"bench\"\n", 4,
     "reset of the VM with the benchmarks; valid: pause resume"),
    ("order = \"once\"\n" + START, 1, "there is no configuration"),
    (f"{START}[variant.x.config.native]\n[variant.x]\nlimit_ms = 0\n", 4,
     "limit_ms 0 is for a guest, not for benchmarks")])
def test_mistakes_of_the_whole_have_the_line_of_the_part(text, line, message):
    assert mistakes_in(text, "x" if "variant" in text else "mine") == [(line, message)]


def test_the_lines_of_keys():
    text = ('a = 1\nb = [\n  { x = "{" }, # [\n  { x = 2 },\n]\n[t."q.r"]\nk.l = 3\n[[m]]\n'
            '[[m]]\ns = """\nz = 4\n"""\n[m.n]\nlast = 5\n')
    assert places(text) == {
        ("a",): 1, ("b",): 2, ("b", 0): 3, ("b", 1): 4, ("t", "q.r"): 6, ("t", "q.r", "k", "l"): 7,
        ("m",): 8, ("m", 0): 8, ("m", 1): 9, ("m", 1, "s"): 10, ("m", 1, "n"): 13,
        ("m", 1, "n", "last"): 14}


# --- the files of scenarios/ ---

def test_the_files_are_few_and_each_has_a_question_and_titles():
    files = set(TREE.scenario_files().values())
    assert len(files) <= 18
    for path in files:
        text = path.read_text()
        assert text.startswith("#:schema ../docs/reference/scenario.schema.json\n"), path
        assert re.search(r'^question = "[A-Z].*\?"$', text, re.MULTILINE), path
        titles = text.count("\ntitle = ")
        assert titles == len([word for word, file in TREE.scenario_files().items()
                              if file == path]), path


def test_an_editor_has_the_schema_by_which_commands_check():
    published = json.loads((HOME / "docs/reference/scenario.schema.json").read_text())

    def plain(part):
        if isinstance(part, dict):
            return {key: plain(value) for key, value in part.items()
                    if key != "description" or not isinstance(value, str)}
        return list(map(plain, part)) if isinstance(part, list) else part
    assert plain(published) == plain(schema())
    stage2 = published["properties"]["config"]["additionalProperties"]["properties"]["stage2"]
    assert stage2["enum"] == ["off", "4K", "2M", "1G"] and "blocks" in stage2["description"]


@pytest.mark.parametrize("page", ["scenarios", "neighbours"])
def test_the_documented_scenarios_are_right(page):
    texts = re.findall(r"```toml\n(.*?)```", (HOME / f"docs/{page}.md").read_text(), re.DOTALL)
    assert texts
    for text in texts:
        read(text, "mine", validate=mistakes)
