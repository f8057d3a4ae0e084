# SPDX-License-Identifier: Apache-2.0
"""The sentences of templates/prose.j2: each is asked for, by its name and with what it wants."""

import ast
from collections.abc import Iterator

from jinja2 import meta

from hypbench.html.blocks import texts
from hypbench.template import ENVIRONMENT
from hypbench.tree import HOME

TOOLS = HOME / "tools" / "hypbench"
SOURCE = (TOOLS / "html" / "templates" / "prose.j2").read_text()


def calls() -> Iterator[tuple[str, set[str]]]:
    """Name and arguments of each prose(…) in the tools."""
    for path in TOOLS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "prose":
                assert isinstance(node.args[0], ast.Constant), path
                yield node.args[0].value, {str(word.arg) for word in node.keywords}


def test_each_sentence_gets_what_it_wants():
    for name, given in calls():
        assert given == set(getattr(texts(), name).arguments), name


def test_each_sentence_is_asked_for():
    there = {name for name in vars(texts()) if not name.startswith("_") and name != "name"}
    assert there == {name for name, _ in calls()}


def test_no_sentence_wants_what_it_is_not_given():
    assert meta.find_undeclared_variables(ENVIRONMENT.parse(SOURCE)) <= {"number", "percent"}
