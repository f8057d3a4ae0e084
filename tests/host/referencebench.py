# SPDX-License-Identifier: Apache-2.0
"""A tree with a fake gem5, plans of reference runs, the sources of their benchmarks, and records
that are kept or refused."""

import lzma
from pathlib import Path

from hypbench import reference
from hypbench.path_lengths import Lengths
from hypbench.tree import UNPACKED_MOST, Tree, packed
from reportlogs import gem5_log, plan_text, report_log
from workbench import Gem5Bench

BOARD = "gem5-a72"
BENCH = "guest/bench/hvc.c"
GOOD = gem5_log("timed")


def files() -> dict[str, bytes]:
    return {
        "timed.jsonl": GOOD, "tlb.jsonl": gem5_log("tlb"),
        "dirty.jsonl": gem5_log("timed", build="abc-dirty"), "cut.jsonl": GOOD[:9000],
        "other-plan.jsonl": gem5_log("default"), "gem6.jsonl": GOOD.replace(b"gem5", b"gem6", 1),
        "icount.jsonl": report_log("timed", board=BOARD),
        "other-board.jsonl": report_log("default"), "nothing.jsonl": b"nothing\n",
        "bomb.xz": lzma.compress(bytes(UNPACKED_MOST + 1), preset=0), "cut.xz": packed(GOOD)[:-9],
        "more.xz": packed(GOOD) + b"more", "twice.xz": packed(GOOD) * 2,
        "garbage.xz": b"\xfd7zXZ\0" + b"garbage" * 99,
        "wide.xz": lzma.compress(GOOD, preset=9),  # needs 64 MiB to unpack
        "noise.xz": packed(b"\0" * 9999)}


class ReferenceBench(Gem5Bench):
    def __init__(self, root: Path, monkeypatch):
        super().__init__(root)
        for plan in ("tlb", "timed"):
            self.scenario(plan, plan_text(plan))
        for name in (BENCH, "guest/measure/sample.c", "guest/measure/chase.h",
                     "guest/arch/armv8/vectors.S"):
            self.write(name, "/* A sentence. */\nint one = 1;\n")
        self.write("guest/bench/smc.c", "int other;\n")
        self.write("guest/arch/armv7/vectors.S", "nop\n")
        for name, content in files().items():
            self.write(name, "").write_bytes(content)
        self.set_gem5(GOOD)
        self.tree = Tree(root)
        self.reference_path = self.tree.reference(BOARD, "timed")
        self.counts = Lengths("a run", "12.2.0", {"trapped": {"hvc null": 37}})
        monkeypatch.setattr(reference, "count_paths", lambda *_: self.counts)

    def keep(self, plan: str = "timed"):
        return self("reference", str(self.root / f"{plan}.jsonl"))
