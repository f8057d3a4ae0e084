# SPDX-License-Identifier: Apache-2.0
"""Make the report, one HTML page, from the records of the report's plans (docs/report.md)."""
