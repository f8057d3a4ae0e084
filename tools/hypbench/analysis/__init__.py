# SPDX-License-Identifier: Apache-2.0
"""Each module has one subject of a report. A module turns the records of a run into rows of data,
and the rows into a section (`section`), which the page and the terminal show. No module prints. A
function returns nothing if a log has no records of its subject."""
