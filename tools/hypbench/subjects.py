# SPDX-License-Identifier: Apache-2.0
"""List the subjects of a report. The module of a subject has one function, `section`, which makes a
section of tables, texts and charts from the frame of a board. The page and the terminal show the
sections of this list. A new subject is a module with a `section`, and its name here."""

from collections.abc import Iterable

from hypbench.analysis import (answer, beside, bound, comparison, conditions, cyclictest,
                               failover, flames, interrupts, latency_measure, links, memory,
                               programs, studies, switches)
from hypbench.frame import Board
from hypbench.model import Section

# The page has the sections in this order. A subject without records makes no blocks, and the page
# leaves it out.
PARTS = (comparison, answer, interrupts, cyclictest, latency_measure, bound, flames, memory, beside,
         failover, links, studies, switches, programs, conditions)
# QUESTIONS has the questions of a reader, with the sections that answer each.
QUESTIONS = {
    "How late is an interrupt?": ("answer", "interrupts", "cyclictest", "latency-measure",
                                 "ceilings", "flames", "switches"),
    "What does memory cost?": ("answer", "memory"),
    "What does a neighbour do?": ("answer", "beside", "links", "ceilings"),
    "How fast is a fail over?": ("answer", "failover"),
    "How far are others?": ("answer", "studies", "programs")}


def sections(board: Board, boards: Iterable[Board] = ()) -> list[Section]:
    all_sections = [part.section(board, list(boards) or [board]) for part in PARTS]
    return [section for section in all_sections if section.blocks]
