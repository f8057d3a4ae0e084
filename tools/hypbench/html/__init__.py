# SPDX-License-Identifier: Apache-2.0
"""The report: one HTML page out of the records of the report's plans (docs/report.md)."""
