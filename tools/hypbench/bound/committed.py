# SPDX-License-Identifier: Apache-2.0
"""The committed ceilings, tests/expected/<compiler>/bounds/<board>.json, and how an image is worse
than they are."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypbench.bound.proof import Proof, compiler

Document = dict[str, Any]


def path_of(root: Path, board: str, version: str) -> Path:
    series = ".".join(version.split(".")[:2])
    return root / "tests" / "expected" / series / "bounds" / f"{board}.json"


def read(root: Path, board: str, version: str) -> Document | None:
    """Return the committed ceilings if the same compiler made them."""
    path = path_of(root, board, version)
    found = json.loads(path.read_text()) if path.is_file() else {}
    return found if found.get("compiler") == version else None


def document(board: str, proof: Proof, measured: dict[str, tuple[int, str]]) -> Document:
    """Return the document. `measured` has the longest visit of each kind, with its run."""
    rows = proof.rows()
    for name, (instructions, run) in measured.items():
        rows[name] |= {"measured": instructions, "run": run}
    return {"board": board, "compiler": compiler(proof), "unit": "instructions",
            "sizes": proof.sizes, "assumptions": proof.assumptions(), "waits": proof.waits(),
            "trusted": len(proof.trusted()), "kinds": rows}


def written(content: Document) -> str:
    return json.dumps(content, indent=1) + "\n"


def problems(old: Document, new: Document) -> Iterator[str]:
    """Report ceilings that are worse than committed, or differ from the committed ones."""
    for name, row in new["kinds"].items():
        before = old["kinds"].get(name)
        if before is None:
            yield f"{name}: not committed"
        elif row["ceiling"] is None and before["ceiling"] is not None:
            yield f"{name}: had the ceiling {before['ceiling']}, has none: {'; '.join(row['why'])}"
        elif row["ceiling"] is not None and row["ceiling"] > (before["ceiling"] or 0):
            yield f"{name}: the ceiling is {row['ceiling']}, committed is {before['ceiling']}"
    yield from (f"{name}: is committed, and is not a kind any more"
                for name in old["kinds"] if name not in new["kinds"])
    for lock, wait in new["waits"].items():
        if wait > old.get("waits", {}).get(lock, 0):
            yield (f"the wait for the lock of {lock} is {wait}, committed is"
                   f" {old.get('waits', {}).get(lock, 0)}")
    for word, count in new["assumptions"].items():
        if count > old["assumptions"].get(word, 0):
            yield (f"{count} places assume '{word}', committed are"
                   f" {old['assumptions'].get(word, 0)}")


def above(rows: dict[str, Document], measured: dict[str, tuple[int, str]]) -> Iterator[str]:
    """Report measured visits that are longer than the ceiling of their kind."""
    for name, (instructions, run) in measured.items():
        ceiling = rows[name]["ceiling"]
        if ceiling is not None and instructions > ceiling:
            yield f"{name}: {instructions} instructions in {run}, the ceiling is {ceiling}"
