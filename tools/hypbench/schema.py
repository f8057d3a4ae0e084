# SPDX-License-Identifier: Apache-2.0
"""The type of what is read from JSON. Standard library alone: the build packs the default plan
before there is a Python environment."""

from typing import Any

Data = dict[str, Any]  # a JSON object
