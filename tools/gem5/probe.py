# SPDX-License-Identifier: Apache-2.0
"""Print the version of this gem5 and whether gem5 has the Arm ISA, as JSON on one line."""

import json

import m5.objects
from _m5.core import gem5Version

print(json.dumps({"gem5": gem5Version, "arm": hasattr(m5.objects, "ArmSystem")}))
