# SPDX-License-Identifier: Apache-2.0
"""One module for each subject of a report. A module turns the records of a run into rows of data,
and the rows into tables of a terminal (`…_tables`) and a section of the page (`section`). No module
prints; a function returns nothing if a log has no records of its subject."""
