# SPDX-License-Identifier: Apache-2.0
"""How the paths came to be as long as they are: the committed lengths over the commits."""

from hypbench.history import CONFIG, FOLDER, series
from hypbench.html import charts
from hypbench.html.blocks import Notice, Section, number
from hypbench.html.data import Board


def section(board: Board, _boards: list[Board]) -> Section:
    made = Section("history", "How it got there", board.name)
    found = board.history
    if found.why_not:
        made.add(Notice(f"{board.name}: no history of the paths: {found.why_not}."))
    if not (found.paths and board.run):
        return made
    states = max(found.paths.values(), key=len)
    commits = [state.commit for state in states]
    moved = {path: some for path, some in found.paths.items()
             if some[-1].commit == commits[-1] and len({state.length for state in some}) > 1}
    made.text(
        f"The lengths in {FOLDER} ({CONFIG}, compiler {series(board.run['compiler'])}) after each"
        f" of {len(commits)} commits that wrote them, {states[0].date} to {states[-1].date}: the"
        f" first, and the present one. {len(found.paths) - len(moved)} of {len(found.paths)} never"
        " changed, or are no longer measured.")
    values = [{"what": path, "x": commits.index(state.commit), "value": state.length,
               "note": f"{path}: {number(state.length)} instructions from {state.date},"
                       f" {state.commit}: {state.subject}"}
              for path, some in moved.items() for state in some if state.commit in commits]
    if values:
        made.figure("history", "Instructions of each path, commit by commit; every line has a scale"
                    " of its own.", charts.sparks(values, "commits"))
    return made
