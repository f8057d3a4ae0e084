# SPDX-License-Identifier: Apache-2.0
"""`hypbench boards`: the default form fits a screen, and the long form has everything."""

from click.testing import CliRunner

from hypbench.cli import main
from hypbench.log_tables import LINES_MOST
from hypbench.tree import Tree


def printed(*words: str) -> str:
    result = CliRunner().invoke(main, ["boards", *words])
    assert result.exit_code == 0, result.output
    return result.output


def test_the_default_form_has_every_board_on_one_screen():
    lines = printed().splitlines()
    assert len(lines) <= LINES_MOST
    for board in Tree().boards():
        assert sum(line.startswith(f"│ {board} ") for line in lines) == 1, board


def test_the_long_form_has_the_consoles_and_what_is_proven():
    short, long = printed(), printed("--table", "long")
    assert "0x09000000" in long and "0x09000000" not in short
    assert "committed path" in long and "committed path" not in short
