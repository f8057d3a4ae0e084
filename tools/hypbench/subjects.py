# SPDX-License-Identifier: Apache-2.0
"""The subjects of a report. Each module has one function, `section`: from the frame of a board to a
section of tables, texts and charts. The page and the terminal show the sections of this list, so a
new subject is a module with a `section` and its name here."""

from collections.abc import Iterable

from hypbench.analysis import (answer, beside, bound, comparison, conditions, cyclictest,
                               failover, flames, interrupts, latency_measure, links, memory,
                               programs, studies, switches)
from hypbench.frame import Board
from hypbench.model import Section

# The order is that of the page. A subject without records makes no blocks and is left out.
PARTS = (comparison, answer, interrupts, cyclictest, latency_measure, bound, flames, memory, beside,
         failover, links, studies, switches, programs, conditions)
# A reader's questions, with the sections that answer each.
QUESTIONS = {
    "How late is an interrupt?": ("answer", "interrupts", "cyclictest", "latency-measure",
                                 "ceilings", "flames", "switches"),
    "What does memory cost?": ("answer", "memory"),
    "What does a neighbour do?": ("answer", "beside", "links", "ceilings"),
    "How fast is a fail over?": ("answer", "failover"),
    "How far are others?": ("answer", "studies", "programs")}


def sections(board: Board, boards: Iterable[Board] = ()) -> list[Section]:
    made = [part.section(board, list(boards) or [board]) for part in PARTS]
    return [section for section in made if section.blocks]
