# SPDX-License-Identifier: Apache-2.0
"""A module a subject: what the records of a run say of it as rows of data, the rows' tables in a
terminal (`…_tables`), and the page's section (`section`). Nothing here prints; functions return
nothing where a log has no records of the subject."""
