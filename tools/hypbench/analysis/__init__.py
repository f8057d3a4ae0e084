# SPDX-License-Identifier: Apache-2.0
"""The results of a run, as data: logs in, rows out. Nothing here prints; `tables` shows
the rows in a terminal. Functions return an empty list where a log has nothing of theirs."""
