# SPDX-License-Identifier: Apache-2.0
"""Print which gem5 this is, as JSON on a line: its version, and whether it has the Arm ISA."""

import json

import m5.objects
from _m5.core import gem5Version

print(json.dumps({"gem5": gem5Version, "arm": hasattr(m5.objects, "ArmSystem")}))
