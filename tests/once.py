# SPDX-License-Identifier: Apache-2.0
"""Make a value once a session, in the test process that asks for it first. The values are in a
folder that the runner (conftest.py) makes for the session and removes. A process without a runner
keeps its values to itself."""

import fcntl
import os
import pickle
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

FOLDER = "HYPBENCH_TEST_SESSION"
KNOWN: dict[str, Any] = {}


def once(key: str, make: Callable[[], Any]) -> Any:
    """Return what `make` returns for this key. Another process that asks for the same key
    meanwhile waits, and reads the value. An exception is not kept."""
    if key not in KNOWN:
        folder = os.environ.get(FOLDER)
        KNOWN[key] = shared(Path(folder), key, make) if folder else make()
    return KNOWN[key]


def shared(folder: Path, key: str, make: Callable[[], Any]) -> Any:
    path = folder / sha256(key.encode()).hexdigest()
    with open(path.with_suffix(".lock"), "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.is_file():
            return pickle.loads(path.read_bytes())
        value = make()
        half = path.with_suffix(".half")
        half.write_bytes(pickle.dumps(value))
        half.replace(path)
        return value
