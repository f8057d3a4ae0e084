# SPDX-License-Identifier: Apache-2.0
"""The commands on a fake QEMU: their files, tables and exit status, and one readable line for each
error."""


import pytest
from click.testing import CliRunner

from workbench import PLAN, must_fail
from hypbench import __version__, store
from hypbench.cli import main
from hypbench.plan import read_plan
from hypbench.plan_binary import VERSION, pack
from hypbench.plan_language import parse, text_of
from hypbench.scenario_text import toml_of
from hypbench.tree import HOME, Tree
from logmaker import log_of, sample_run

LOG = log_of(sample_run())
SECTION = pack(parse(PLAN))
HEADER = "board,config,bench,variant,unit,clock,n,min,p50,p90,p99,max,mean,stddev,cold"


def damaged(at: int) -> bytes:
    return SECTION[:at] + bytes([SECTION[at] ^ 3]) + SECTION[at + 1:]


def table_row(output: str, *words: str) -> list[str]:
    """Return the cells of the only row whose first cells are these words."""
    rows = [[cell.strip() for cell in line.strip().strip("│┃").split("│")]
            for line in output.splitlines()]
    matching = [row for row in rows if row[:len(words)] == list(words)]
    assert len(matching) == 1, output
    return matching[0]


VM = "vm bench image=bench cores=0 prio=1\n"  # the meaning of a plan without vm lines


def test_run_writes_its_files(bench):
    result = bench.run("--scenario", "short")
    assert result.exit_code == 0, result.output
    assert (bench.out / "console.log").read_bytes() == LOG
    assert (bench.out / "records.jsonl").read_bytes() == LOG.replace(b"\r", b"")
    assert (bench.out / "summary.csv").read_text().splitlines()[0] == HEADER
    # A command whose output goes to a pipe shows no progress.
    assert "step" not in result.stderr.partition("records: ")[0]
    image = (bench.out / "hypbench-run.elf").read_bytes()
    assert text_of(read_plan(image)).endswith(f"bench hvc\n{VM}platform qemu-icount\n")


@pytest.mark.parametrize("word", Tree().scenarios())
def test_the_scenarios_there_are_name_what_is_there(bench, word):
    result = bench("check-scenario", str(Tree().scenario_files()[word]))
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("image, says", [
    (b"\x7fELF" + bytes(100), "no plan section"),
    (2 * SECTION, "2 plan sections"), (SECTION[:-1], f"no whole plan section of version {VERSION}"),
    (SECTION[:-1] + b"\1", "no whole plan section"), (damaged(16), "no whole plan section")])
def test_patch_wants_one_plan_section(bench, image, says):
    path = bench.root / "image"
    path.write_bytes(image)
    must_fail(bench("patch", str(path), "--scenario", "short", "-o", str(path)), says)


def test_patch_changes_the_plan_and_nothing_else(bench):
    image = (bench.out / "hypbench.elf").read_bytes()
    out = bench.root / "patched"
    plan = bench.scenario("mine", "config native\nbench hvc\n")
    words = ("patch", str(bench.out / "hypbench.elf"), "--scenario", str(plan), "-o", str(out))
    for more, line in ((["--platform", "gem5"], "platform gem5"), ([], "platform silicon")):
        assert bench(*words, *more).exit_code == 0
        expected = parse(f"name mine\norder abba\nconfig native\nbench hvc\n{VM}{line}\n")
        output = bench("show-scenario", str(out)).output
        assert output.startswith(f"# mine, for {line}\n") and output.endswith(toml_of(expected))
        assert out.read_bytes().replace(pack(expected), pack(parse(PLAN))) == image


def test_the_version_is_the_one_that_the_changelog_begins_with():
    heading = (HOME / "CHANGELOG.md").read_text().split("\n## ")[1].split()[0]
    base, development, _ = __version__.partition(".dev")
    assert heading == ("Unreleased" if development else base)
    result = CliRunner().invoke(main, ["--version"])
    assert result.output == f"hypbench {__version__}\n"


def test_a_run_never_replaces_another(bench, monkeypatch):
    monkeypatch.setattr(store, "now", lambda: "20260101T000000Z")
    for _ in range(3):
        assert bench.run().exit_code == 0
    paths = sorted((bench.root / "runs/virt-a72/sample").glob("*.jsonl"))
    assert [path.stem[16:] for path in paths] == ["-2", "-3", ""]
    assert {path.read_bytes() for path in paths} == {LOG.replace(b"\r", b"")}


@pytest.mark.parametrize("plan", ["", "..", "a/b"])
def test_a_scenario_whose_name_is_no_folder(bench, plan):
    bench.set_qemu(log_of([sample_run()[0] | {"plan": plan}, *sample_run()[1:]]))
    bench.run()
    folders = [path.parent.name for path in (bench.root / "runs").rglob("*.jsonl")]
    assert folders == ["unnamed"]
