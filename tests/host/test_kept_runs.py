# SPDX-License-Identifier: Apache-2.0
"""The kept runs: what `hypbench run` adds to runs/, names, damage, `hypbench runs`, prune."""

import json

import pytest

from hypbench import store
from hypbench.tree import Tree
from logmaker import end_record, log_of, sample_run
from test_commands import failed, table_row

LOG = log_of(sample_run(), b"\n")
PLACE = "runs/virt-a72/sample"


@pytest.fixture
def times(monkeypatch):
    """The times that the next runs are kept under; the last stands for all that follow."""
    def set_to(*words: str) -> None:
        left = list(words)
        monkeypatch.setattr(store, "now", lambda: left.pop(0) if len(left) > 1 else left[0])
    return set_to


@pytest.fixture
def kept(bench, times, monkeypatch):
    """Three runs; the first is the baseline `before`."""
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


def test_a_run_into_a_folder_of_ones_own_is_not_kept(bench):
    assert bench.run("--out", str(bench.root / "mine")).exit_code == 0
    assert not (bench.root / "runs").exists()


def test_a_baseline_stays_at_its_run_and_a_later_run_takes_the_name(kept, bench):
    assert index_of(kept)["names"] == {"before": "20260101T000000Z"}
    result = bench.run("--scenario", "short", "--save", "before")
    assert f"kept: {PLACE}/20260101T000003Z.jsonl, as before" in result.stderr
    assert index_of(kept)["names"] == {"before": "20260101T000003Z"} and len(files(kept)) == 4


def test_a_failed_run_is_kept_without_the_name_and_is_not_the_latest(kept, bench):
    bench.set_qemu(log_of(sample_run()[:-1] + [end_record(72, status="failed", errors=1)]))
    result = bench.run("--scenario", "short", "--save", "before")
    assert result.exit_code == 1 and "; a failed run does not become before" in result.stderr
    assert index_of(kept)["names"] == {"before": "20260101T000000Z"}
    listing = bench("runs").output
    assert table_row(listing, "virt-a72", "sample", "20260101T000003Z")[-1] == "failed"
    assert table_row(listing, "virt-a72", "sample", "20260101T000002Z")[-1] == "latest"


@pytest.mark.parametrize("name", ["latest", "20260101T000000Z", "../up", "a b", "", "-x", "x" * 65])
def test_a_name_that_no_baseline_can_have(bench, name):
    failed(bench.run("--save", name), f"SAVE={name} is no name of a baseline", 2)
    assert not (bench.root / "runs").exists()


@pytest.mark.parametrize("word", [
    "before", "sample/before", "virt-a72/sample/before", "20260101T000000Z",
    f"{PLACE}/20260101T000000Z.jsonl"])
def test_a_run_by_its_name(kept, bench, word):
    result = bench("compare", word)
    assert result.exit_code == 0, result.output
    assert f"A: {PLACE}/20260101T000000Z.jsonl (" in result.output
    assert f"B: {PLACE}/20260101T000002Z.jsonl (" in result.output
    assert bench("show", word).output == bench("show", "latest").output
    assert bench("check", word).exit_code == 0


@pytest.mark.parametrize("word, says", [
    ("befour", "no file and no kept run 'befour', nearest 'before'; kept runs have the names:"
               " before, latest"),
    ("other/before", "no file and no kept run 'other/before'"),
    ("gone.jsonl", "A: cannot read gone.jsonl")])
def test_a_name_that_no_run_has(kept, bench, word, says):
    failed(bench("compare", word), says, 2)


def test_a_name_that_several_scenarios_have(kept, bench):
    bench.set_qemu(log_of([sample_run()[0] | {"plan": "other"}, *sample_run()[1:]]))
    assert bench.run("--save", "before").exit_code == 0
    failed(bench("compare", "before"), "several kept runs have the name before:"
           " virt-a72/other/before, virt-a72/sample/before; BOARD= and SCENARIO=", 2)
    assert bench("compare", "before", "--scenario", "sample").exit_code == 0


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


def test_prune_lists_first_and_keeps_baselines_and_the_last(kept, bench):
    said = f"would remove {PLACE}/20260101T000001Z.jsonl (v0-3-gabc, 14 rows)\n"
    result = bench("runs", "prune", "--keep", "1")
    assert result.output == said + "nothing was removed: --yes removes these 1\n"
    assert len(files(kept)) == 3
    result = bench("runs", "prune", "--keep", "1", "--yes")
    assert result.output == said.replace("would remove", "removes")
    assert files(kept) == ["20260101T000000Z.jsonl", "20260101T000002Z.jsonl"]
    assert [run["time"] for run in index_of(kept)["runs"]] == [name[:16] for name in files(kept)]
    assert bench("compare", "before").exit_code == 0 and bench("runs").exit_code == 0
    assert "nothing to remove" in bench("runs", "prune", "--keep", "1").output


def test_no_run_is_kept_yet(bench):
    result = bench("runs")
    assert result.exit_code == 0 and "no run is kept in" in result.output
    failed(bench("runs", "--board", "virt-a72"), "no board with kept runs 'virt-a72'", 2)


def test_a_name_beside_a_damaged_file_stands(kept, bench):
    """The tree's own view: a baseline whose file was cut is reported by its file."""
    (kept / "20260101T000000Z.jsonl").write_bytes(CUT)
    failed(bench("compare", "before"), f"{PLACE}/20260101T000000Z.jsonl: the file was changed", 2)
    folder = store.read_folder(Tree(bench.root).kept("virt-a72", "sample"))
    assert [one.time for one in folder.good()] == ["20260101T000002Z", "20260101T000001Z"]
