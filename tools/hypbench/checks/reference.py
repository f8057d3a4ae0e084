# SPDX-License-Identifier: Apache-2.0
"""Make docs/reference/ from the source: the benchmarks, the scenarios with their keys and their
schema, the exit kinds, the axes, the records, the path lengths, the ceilings, the planted faults.
The committed pages must equal the output. C comments have a form of their own here, which no
documentation generator reads."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import click

from hypbench import abi, cost_fit, windows
from hypbench.checks.base import Violation
from hypbench.checks.measured import PART, Measured, Row, table
from hypbench.records import Data
from hypbench.scenario_commands import ListedScenario, listed_scenarios
from hypbench.scenario_schema import MEANINGS, body, schema
from hypbench.template import ENVIRONMENT
from hypbench.tree import Tree, write_whole

SETTING = re.compile(r"\.(\w+) = ([\w-]+)")
MEANING = re.compile(r"^ \*   ([\w-]+) +(\S.*)$")
MORE = re.compile(r"^ \*     +(\S.*)$")
WORD = re.compile(r'X\(\w+, "([\w-]+)"\)\s*(?:/\*(.*?)\*/)?')
TYPES = {"count": "integer", "samples": "integer", "cpu_hz": "Hz", "clock": "`cntpct`",
         "vm_name": "word", "errata": "list of words", "histogram": "[[lower edge, count], …]"}
FOLDER = Path("docs/reference")
NOTICE = "<!-- Made by `hypbench dev reference`: change the source instead. -->"
FAULTS = Path("tests/faults/table.py")


class Header:
    """A header of abi/ with its X-macro tables, and the meaning of each entry from the comment
    before the table."""

    def __init__(self, tree: Tree, name: str):
        self.path = Path("abi") / name
        self.text = (tree.root / self.path).read_text()

    def body(self, macro: str) -> str:
        text = self.text.partition(f"#define {macro}(X)")[2].partition("\n\n")[0]
        return re.sub(r'"\s*\\\n\s*"', "", text)

    def entries(self, macro: str) -> list[list[str]]:
        entries = re.findall(r"X\(([^)]*)\)", re.sub(r"/\*.*?\*/", "", self.body(macro)))
        return [[cell.strip().strip('"') for cell in entry.split(",")] for entry in entries]

    def meanings(self, macro: str) -> dict[str, str]:
        """Return the meaning of each entry. A line with three blanks begins an entry, and deeper
        lines continue it."""
        before = self.text.partition(f"#define {macro}(X)")[0]
        meanings: dict[str, str] = {}
        last = ""
        for line in before[before.rindex("/*"):].splitlines():
            if first := MEANING.match(line):
                last = first[1]
                meanings[last] = first[2]
            elif last and (continued := MORE.match(line)):
                meanings[last] += f" {continued[1]}"
        missing = [entry[0] for entry in self.entries(macro) if entry[0] not in meanings]
        if missing:
            raise click.ClickException(f"{self.path}: the comment before {macro} has no line on"
                                       f" {missing[0]}")
        return {name: linked(text) for name, text in meanings.items()}

    def words(self, macro: str) -> Iterator[Row]:
        for word, comment in WORD.findall(self.body(macro)):
            yield f"`{word}`", " ".join(comment.replace("\\\n", " ").split())

    def numbers(self, title: str, macro: str, head: str) -> str:
        """Return the table of the lines X(field, default, min, max) of a macro."""
        meanings = self.meanings(macro)
        return table(title, (head, "default", "from", "to", "meaning"), (
            (f"`{field}`", *limits, meanings[field]) for field, *limits in self.entries(macro)))

    def constants(self) -> dict[str, str]:
        return dict(re.findall(r"^#define (\w+) (\w+)", self.text, re.MULTILINE))


def linked(text: str) -> str:
    """Return the text with the names of files as code, which the site turns into links."""
    return re.sub(r"(?<!`)\b(?:abi|boards|docs|guest|tests)/[\w/<>.-]+\.\w+", r"`\g<0>`", text)


@cache
def texts() -> Any:
    return ENVIRONMENT.get_template("checks/reference.md.j2", globals={
        "table": table, "linked": linked}).module


def axes(tree: Tree) -> str:
    header = Header(tree, "run_config.h")
    meanings = header.meanings("CONFIG_AXES") | header.meanings("CONFIG_NUMBERS")
    questions = header.meanings("CONFIG_PRESETS")
    presets = []
    for name, *settings in header.entries("CONFIG_PRESETS"):
        words = [f"`{axis}={value_of(header, axis, value)}`"
                 for axis, value in SETTING.findall(", ".join(settings))]
        presets.append((f"`{name}`", " ".join(words), questions[name]))
    by_axis = scenarios_by_axis(tree)
    return texts().axes(
        presets,
        ((f"`{axis}`", " ".join(f"`{word}`" for word in words.split()), meanings[axis],
          " ".join(f"`{scenario}`" for scenario in by_axis.get(axis, [])) or "–")
         for axis, words in header.entries("CONFIG_AXES")),
        ((f"`{axis}`", f"0 to {most.rstrip('u')}", meanings[axis])
         for axis, most in header.entries("CONFIG_NUMBERS")))


def scenarios_by_axis(tree: Tree) -> dict[str, list[str]]:
    """Return, for each axis, the scenarios that show its cost: two of their configurations differ
    in this axis only."""
    scenarios: dict[str, list[str]] = {axis: [] for axis in abi.axes()}
    for word in tree.scenarios():
        configs = tree.plan(word).configs.values()
        differing = [[axis for axis in abi.axes() if first[axis] != second[axis]]
                     for first, second in combinations(configs, 2)]
        for axis in sorted({axes[0] for axes in differing if len(axes) == 1}):
            scenarios[axis].append(word)
    return scenarios


def value_of(header: Header, axis: str, value: str) -> str:
    """Return a value as a plan writes it. `value` is an enumerator, such as STAGE2_2M, or a number;
    the enumerators are in the order of the values."""
    words = dict(header.entries("CONFIG_AXES"))[axis].split()
    if value.isdigit():
        return words[int(value)]
    names = next(body for body in re.findall(r"enum \w+ \{([^}]*)\}", header.text)
                 if re.search(rf"\b{value}\b", body))
    return words[[name.strip() for name in names.split(",")].index(value)]


def scenario_keys(tree: Tree) -> str:
    """Return the keys of a scenario. The fields of abi/'s tables have their own tables."""
    rows = [(f"`{key}`", MEANINGS[key]) for key in (*body(), "variant")]
    inner = {"config": ("from",), "matrix": ("victim", "load", "policy"), "guest": ("recipe",),
             "vm": ("image", "cores", "configs", "colours"), "event": ("at_us", "on", "end", "do")}
    rows += [(f"`{key}` of `{table}`", MEANINGS[key]) for table, keys in inner.items()
             for key in keys]
    return texts().scenario_keys(Header(tree, "plan.h"), rows)


def scenario_schema(tree: Tree) -> str:
    """Return the schema for editors, with the meaning of each key."""
    plan, config = Header(tree, "plan.h"), Header(tree, "run_config.h")
    meanings = config.meanings("CONFIG_AXES") | config.meanings("CONFIG_NUMBERS")
    for macro in ("BENCH_PARAMS", "PLAN_GUEST_FIELDS", "PLAN_LOAD_FIELDS", "PLAN_VM_FIELDS"):
        meanings |= plan.meanings(macro)
    return json.dumps(schema(meanings), indent=1) + "\n"


def records(tree: Tree) -> str:
    path = Path("docs/records.schema.json")
    schema = json.loads((tree.root / path).read_text())
    defs = schema["$defs"]
    kinds = schema["properties"]["kind"]["enum"]
    return texts().records(path, [
        (title, defs[name].get("description", ""), [
            (f"`{member}`", kind_of(definition), linked(definition.get("description", "–")))
            for member, definition in defs[name]["properties"].items()])
        for title, name in (("Every record", "frame"), ("Records of a step", "in_step"),
                            *((f"`{kind}`", kind) for kind in kinds))])


def kind_of(definition: Data) -> str:
    if "enum" in definition or "const" in definition:
        return ", ".join(f"`{word}`" for word in definition.get("enum", [definition.get("const")]))
    name = definition.get("$ref", "").rpartition("/")[2] or definition.get("type", "")
    return {"array": "list", "number": "number", "hex": "hexadecimal"}.get(
        name, TYPES.get(name, name))


def path_lengths(measured: Measured) -> str:
    boards = []
    for document in measured.lengths.values():
        figures = document["figures"]
        paths = dict.fromkeys(name for lengths in figures.values() for name in lengths)
        boards.append((f"{document['board']}, gcc {document['compiler']}", ("path", *figures), [
            (f"`{name}`", *(str(lengths.get(name, "–")) for lengths in figures.values()))
            for name in paths]))
    return texts().path_lengths(boards)


def bounds(tree: Tree) -> str:
    """Return the ceilings by the oldest compiler, one table for each board."""
    folder = min((tree.root / "tests" / "expected").glob("*/bounds/"), default=None,
                 key=lambda folder: [int(part) for part in folder.parent.name.split(".")])
    paths = sorted(folder.glob("*.json")) if folder else []
    documents = [json.loads(path.read_text()) for path in paths]
    return texts().bounds([
        (f"{document['board']}, gcc {document['compiler']}", document, [
            (name, str(row["ceiling"] or "none"), str(row.get("wait", 0)),
             str(row.get("measured", "–")),
             row.get("run", "–") if row["ceiling"] else reason(row["why"]))
            for name, row in document["kinds"].items()]) for document in documents])


def reason(why: list[str]) -> str:
    return f"{why[0]}; {len(why) - 1} more" if why[1:] else why[0]


def studies(tree: Tree) -> str:
    """Return the studies that scenarios and pages call S1 to S4."""
    studies = json.loads((tree.root / "tools/hypbench/analysis/studies.json").read_text())
    return texts().studies([(study["title"], study["cite"], ", ".join(
        f"`{word}`" for word in tree.scenarios() if word.startswith(f"paper-{name.lower()}"))
        or "none") for name, study in studies.items() if "title" in study])


def faults(tree: Tree) -> str:
    """Return a table for each list of faults. tests/faults/table.py prints the tests that see the
    faults."""
    result = subprocess.run([sys.executable, "-B", str(tree.root / FAULTS)], capture_output=True,
                            text=True, check=False)
    if result.returncode:
        raise click.ClickException(f"{FAULTS}: {result.stderr.strip()}")
    lists: dict[str, list[Row]] = {}
    for fault in json.loads(result.stdout):
        lists.setdefault(fault["list"], []).append(
            (fault["name"], quoted(fault["files"]), quoted(fault["seen_by"]),
             ", ".join(fault["boards"]) or "–"))
    return texts().faults(lists.items())


def quoted(words: list[str]) -> str:
    return "<br>".join(f"`{word}`" for word in words)


def pages(tree: Tree) -> dict[Path, str]:
    """Return the pages of docs/reference/, and the other pages with a generated part."""
    measured = Measured(tree)
    texts = {"benchmarks.md": benchmarks(tree), "scenarios.md": scenarios(tree),
             "exits.md": exits(tree), "axes.md": axes(tree), "records.md": records(tree),
             "scenario-keys.md": scenario_keys(tree), "path-lengths.md": path_lengths(measured),
             "figures.md": measured.texts.figures(), "bounds.md": bounds(tree),
             "studies.md": studies(tree)}
    if cost_fit.vectors(tree).is_file():
        texts["cost-fit.md"] = cost_fit.page(tree)
    if (tree.root / FAULTS).is_file():
        texts["faults.md"] = faults(tree)
    reference_pages = {FOLDER / name: f"{NOTICE}\n{text}" for name, text in texts.items()}
    return reference_pages | {FOLDER / "scenario.schema.json": scenario_schema(tree)} | {
        path: measured.filled(path) for path in tree.files()
        if path.suffix == ".md" and PART.search((tree.root / path).read_text())}


def check_reference(tree: Tree) -> Iterator[Violation]:
    for path, text in pages(tree).items():
        committed = (tree.root / path).read_text() if (tree.root / path).is_file() else ""
        if committed != text:
            yield Violation(path, 1, "not what `hypbench dev reference` makes of the source")


@click.command()
@click.pass_obj
def reference(tree: Tree) -> None:
    """Write docs/reference/ anew, and the generated parts of other pages."""
    for path, text in pages(tree).items():
        (tree.root / path).parent.mkdir(parents=True, exist_ok=True)
        write_whole(tree.root / path, text)


def benchmarks(tree: Tree) -> str:
    """Return a section for each file: its benchmarks, the scenarios that run them, its comment."""
    used: dict[str, list[str]] = {}
    for word in tree.scenarios():
        for name in dict(tree.plan(word).benches):
            used.setdefault(name, []).append(word)
    sections = []
    for folder in ("bench", "programs"):
        for path in sorted(tree.root.glob(f"guest/{folder}/*.c")):
            source = path.read_text()
            names = windows.names(source)
            if not windows.comment(source):
                raise click.ClickException(f"{path.relative_to(tree.root)}: no comment on its"
                                           " windows before the code")
            inside = sorted({plan for name in names for plan in used.get(name, [])})
            text = "\n\n".join(map(markdown, windows.comments(tree.root, source)))
            sections.append((names, linked(text), path.relative_to(tree.root), inside))
    return texts().benchmarks(sections)


def markdown(text: str) -> str:
    """Return the text with a list of the lines that begin with a variant's name. Indented lines
    continue an entry."""
    lines: list[str] = []
    in_list = False
    for line in text.rstrip().splitlines():
        variant = windows.VARIANT.match(line)
        if variant:
            lines += [""] * (not in_list) + [f"- `{variant[1]}`: {variant[2]}"]
        else:
            indented = line.startswith("   ")
            lines += [""] * (in_list and not indented)
            lines.append("  " * (in_list and indented) + line.strip())
            in_list = in_list and indented
        in_list = in_list or bool(variant)
    return "\n".join(lines).strip()


def scenarios(tree: Tree) -> str:
    """Return a table of scenarios for each question."""
    questions: dict[str, list[ListedScenario]] = {}
    for scenario in listed_scenarios(tree):
        questions.setdefault(scenario.question, []).append(scenario)
    return texts().scenarios([(question, [
        (f"`{scenario.word}`", scenario.title, ", ".join(scenario.needs) or "–")
        for scenario in group])
        for question, group in questions.items()])


def exits(tree: Tree) -> str:
    return texts().exits(Header(tree, "exit_kind.h"))
