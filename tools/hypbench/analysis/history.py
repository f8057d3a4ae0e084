# SPDX-License-Identifier: Apache-2.0
"""How the paths came to be as long as they are: the committed lengths over the commits."""

from hypbench.history import CONFIG, FOLDER, series
from hypbench.html import charts
from hypbench.html.blocks import Notice, Section, number, prose
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
    made.text(prose("history", folder=FOLDER, config=CONFIG, commits=commits, states=states,
                    compiler=series(board.run["compiler"]), paths=found.paths, moved=moved))
    values = [{"what": path, "x": commits.index(state.commit), "value": state.length,
               "note": f"{path}: {number(state.length)} instructions from {state.date},"
                       f" {state.commit}: {state.subject}"}
              for path, some in moved.items() for state in some if state.commit in commits]
    if values:
        made.figure("history", prose("history_figure"), charts.sparks(values, "commits"))
    return made
