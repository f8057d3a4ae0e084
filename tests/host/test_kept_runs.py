# SPDX-License-Identifier: Apache-2.0
"""The kept runs: what `hypbench run` adds to runs/, names, damage, `hypbench runs`, prune."""

import json

import pytest

from hypbench import store
from hypbench.tree import Tree
from logmaker import log_of, sample_run
from test_commands import failed

LOG = log_of(sample_run(), b"\n")
PLACE = "runs/virt-a72/sample"


@pytest.fixture
def times(monkeypatch):
    """Return the times under which the next runs are kept; the last one is used for all that
    follow."""
    def set_to(*words: str) -> None:
        left = list(words)
        monkeypatch.setattr(store, "now", lambda: left.pop(0) if len(left) > 1 else left[0])
    return set_to


@pytest.fixture
def kept(bench, times, monkeypatch):
    """Return three runs; the first is the baseline `before`."""
    monkeypatch.chdir(bench.root)
    times(*(f"20260101T00000{number}Z" for number in range(9)))
    for words in (("--save", "before"), (), ()):
        assert bench.run("--scenario", "short", *words).exit_code == 0
    return bench.root / PLACE


def index_of(folder) -> dict:
    return json.loads((folder / "index.json").read_text())


def files(folder) -> list[str]:
    return sorted(path.name for path in folder.glob("*.jsonl"))


def test_a_run_never_replaces_another(bench, times):
    times("20260101T000000Z")
    for _ in range(3):
        assert bench.run().exit_code == 0
    folder = bench.root / PLACE
    assert files(folder) == ["20260101T000000Z-2.jsonl", "20260101T000000Z-3.jsonl",
                             "20260101T000000Z.jsonl"]
    assert all(path.read_bytes() == LOG for path in folder.glob("*.jsonl"))
    runs = index_of(folder)["runs"]
    assert [run["time"][16:] for run in runs] == ["", "-2", "-3"]
    assert {(run["rows"], run["sound"], run["build"], run["platform"]) for run in runs} == {
        (14, True, "v0-3-gabc", "qemu-icount")}


@pytest.mark.parametrize("plan", ["", "..", "a/b"])
def test_a_scenario_whose_name_is_no_folder(bench, plan):
    bench.set_qemu(log_of([sample_run()[0] | {"plan": plan}, *sample_run()[1:]]))
    bench.run()
    found = [path.parent.name for path in (bench.root / "runs").rglob("*.jsonl")]
    assert found == ["unnamed"]


CUT = LOG[:len(LOG) // 2]


@pytest.mark.parametrize("harm, says", [
    (lambda place: (place / "20260101T000002Z.jsonl").write_bytes(CUT),
     "20260101T000002Z.jsonl: the file was changed after the run"),
    (lambda place: (place / "20260101T000002Z.jsonl").unlink(),
     "20260101T000002Z.jsonl: the file cannot be read: No such file"),
    (lambda place: (place / "mine.txt").write_text("notes"), "mine.txt is no kept run"),
    (lambda place: (place / "20250101T000000Z.jsonl").write_bytes(LOG),
     "20250101T000000Z.jsonl is no kept run: the index does not have it"),
    (lambda place: (place.parent / "stray").write_bytes(b"\xff"), "stray is no kept run")])
def test_damage_is_reported_and_harms_no_other_run(kept, bench, harm, says):
    before = {name: (kept / name).read_bytes() for name in files(kept)[:2]}
    harm(kept)
    result = bench("runs")
    assert result.exit_code == 1 and says in result.stderr
    assert result.stderr.count("hypbench:") == 1
    assert bench("compare", "before").exit_code == 0
    assert bench.run("--scenario", "short").exit_code == 0
    assert bench("runs", "prune", "--keep", "2", "--yes").exit_code == 0
    assert all((kept / name).read_bytes() == raw for name, raw in before.items()
               if (kept / name).exists())
    assert says in bench("runs").stderr or "20260101T000002Z" in says


def test_the_latest_is_never_a_damaged_one(kept, bench):
    (kept / "20260101T000002Z.jsonl").write_bytes(CUT)
    assert f"B: {PLACE}/20260101T000001Z.jsonl" in bench("compare", "before").output
    failed(bench("compare", "20260101T000002Z"), "the file was changed after the run", 2)


@pytest.mark.parametrize("index", ["", "{", "[]", '{"runs": 1, "names": {}}', '{"runs": []}', "\0",
                                   '{"runs": [{"time": "../../x"}], "names": {}}'])
def test_a_damaged_index_is_kept_beside_a_new_one(kept, bench, index):
    (kept / "index.json").write_text(index)
    result = bench("runs")
    assert result.exit_code == 1 and f"{PLACE}/index.json is damaged: " in result.stderr
    assert "index.json is damaged" in bench.run("--scenario", "short").stderr
    assert (kept / "index-damaged-1.json").read_text() == index
    assert len(files(kept)) == 4 and len(index_of(kept)["runs"]) == 1


def test_a_name_beside_a_damaged_file_stands(kept, bench):
    """The tree itself reports a baseline whose file was cut by its file."""
    (kept / "20260101T000000Z.jsonl").write_bytes(CUT)
    failed(bench("compare", "before"), f"{PLACE}/20260101T000000Z.jsonl: the file was changed", 2)
    folder = store.read_folder(Tree(bench.root).kept("virt-a72", "sample"))
    assert [one.time for one in folder.good()] == ["20260101T000002Z", "20260101T000001Z"]
