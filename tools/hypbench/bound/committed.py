# SPDX-License-Identifier: Apache-2.0
"""The committed ceilings, tests/expected/<compiler>/bounds/<board>.json, and the comparison of an
image's ceilings with them."""

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
    content = json.loads(path.read_text()) if path.is_file() else {}
    return content if content.get("compiler") == version else None


def document(board: str, proof: Proof, measured: dict[str, tuple[int, str]]) -> Document:
    """Return the document that is committed. `measured` has the longest visit of each kind, with
    its run."""
    rows = proof.rows()
    for name, (instructions, run) in measured.items():
        rows[name] |= {"measured": instructions, "run": run}
    return {"board": board, "compiler": compiler(proof), "unit": "instructions",
            "sizes": proof.sizes, "assumptions": proof.assumptions(), "waits": proof.waits(),
            "trusted": len(proof.trusted()), "kinds": rows}


def json_text(content: Document) -> str:
    return json.dumps(content, indent=1) + "\n"


def problems(old: Document, new: Document) -> Iterator[str]:
    """Yield a message for each ceiling, wait or assumption that is worse than committed, and for
    each kind that only one of the documents has."""
    for name, row in new["kinds"].items():
        old_row = old["kinds"].get(name)
        if old_row is None:
            yield f"{name}: not committed"
        elif row["ceiling"] is None and old_row["ceiling"] is not None:
            yield f"{name}: had the ceiling {old_row['ceiling']}, has none: {'; '.join(row['why'])}"
        elif row["ceiling"] is not None and row["ceiling"] > (old_row["ceiling"] or 0):
            yield f"{name}: the ceiling is {row['ceiling']}, committed is {old_row['ceiling']}"
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


def visits_above(rows: dict[str, Document], measured: dict[str, tuple[int, str]]) -> Iterator[str]:
    """Yield a message for each measured visit that is longer than the ceiling of its kind."""
    for name, (instructions, run) in measured.items():
        ceiling = rows[name]["ceiling"]
        if ceiling is not None and instructions > ceiling:
            yield f"{name}: {instructions} instructions in {run}, the ceiling is {ceiling}"
