# SPDX-License-Identifier: Apache-2.0
"""The tree in which most tests of the host tools run the command line, and made-up kept runs."""

import pytest

from workbench import Bench, Gem5Bench


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


@pytest.fixture
def gem5(tmp_path, monkeypatch):
    return with_gem5(Gem5Bench(tmp_path), monkeypatch)


@pytest.fixture
def references(tmp_path, monkeypatch):
    from referencebench import ReferenceBench  # slow to import, and few tests need it

    return with_gem5(ReferenceBench(tmp_path, monkeypatch), monkeypatch)


def with_gem5(bench, monkeypatch):
    monkeypatch.setenv("GEM5", str(bench.gem5))
    monkeypatch.delenv("GEM5_MACHINE", raising=False)
    return bench


@pytest.fixture
def kept_runs(monkeypatch):
    """The kept runs of the board virt-a72 are COLUMNS, whatever reference/peers/ has; other boards
    have none."""
    # These modules are slow to import, and few tests need them.
    from hypbench.analysis import answer
    from hypbench.peers import compared
    from reportpages import COLUMNS, KEPT_PATHS

    def columns(board, tree=None):
        return COLUMNS if board == "virt-a72" else []

    def forget():
        compared.compare_paths.cache_clear()
        compared.families.cache_clear()

    for module in (answer, compared):
        monkeypatch.setattr(module, "kept_columns", columns)
    monkeypatch.setattr(compared, "PATHS", KEPT_PATHS)
    forget()
    yield COLUMNS
    forget()
