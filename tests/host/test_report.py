# SPDX-License-Identifier: Apache-2.0
"""`hypbench report`: the plans that the command runs, the records that it keeps, and its messages
about lost records."""

import json
import re

import pytest

from hypbench import digests
from hypbench.html import runs
from hypbench.plan import read_plan
from hypbench.plan_language import text_of
from hypbench.tree import packed
from commandlogs import LOGS
from reportlogs import plan_text, plans, report_log
from reportpages import source


def test_made_up_logs_are_good():
    for plan in plans():
        plan_source = source(plan)
        assert (plan_source.problems, plan_source.lost) == ([], []), plan
    assert plans() == runs.PLANS


# Code of a QEMU that prints the log of the plan in its image, and counts its runs.
SELECTS = r"""
image = pathlib.Path(sys.argv[sys.argv.index("-kernel") + 1]).read_bytes()
with here.with_name("count").open("a") as count:
    count.write("x")
name = "storm" if b'"plan":"storm"' in image else "default"
here.with_name(f"image.{name}").write_bytes(image)
sys.stdout.buffer.write(here.with_name(name).read_bytes())
"""


@pytest.fixture
def tree(bench, monkeypatch):
    """The tree of conftest with two of the report's plans, and a QEMU that can run both."""
    monkeypatch.setattr("hypbench.html.page.library", str)
    for name in ("default", "storm"):
        bench.scenario(name, plan_text(name))
        bench.qemu.with_name(name).write_bytes(report_log(name))
    bench.set_qemu(b"", SELECTS)
    bench.home = bench.root / "build" / "virt-a72" / "report"
    bench.count = lambda: len(bench.qemu.with_name("count").read_text())
    return bench


def change_image(tree) -> None:
    with (tree.out / "hypbench.elf").open("ab") as image:
        image.write(b"other code")


def page_of(tree) -> str:
    return (tree.root / "build" / "report" / "index.html").read_text()


@pytest.mark.long
def test_report_runs_what_is_missing_and_only_that(tree):
    first = tree("report")
    assert first.exit_code == 0, first.output
    assert tree.count() == 2 and "0 of 2 runs are up to date" in first.stderr
    for plan in ("default", "storm"):  # reported when each ends
        assert re.search(rf"^virt-a72 {plan}: \d+\.\d s, ok$", first.stderr, re.MULTILINE)
    assert (tree.home / "storm.jsonl").read_bytes() == report_log("storm")
    page = page_of(tree)
    again = tree("report")
    assert again.exit_code == 0 and tree.count() == 2 and page_of(tree) == page
    tree.scenario("storm", plan_text("storm") + "limit_ms 5\n")
    assert tree("report").exit_code == 0 and tree.count() == 3
    (tree.home / "default.jsonl").write_bytes(b"")
    assert tree("report").exit_code == 0 and tree.count() == 4
    change_image(tree)
    assert tree("report").exit_code == 0 and tree.count() == 6
    assert not list(tree.home.glob("*.run"))


@pytest.mark.long
def test_report_of_one_scenario_runs_and_shows_no_other(tree):
    wrong = tree("report", "--scenario", "strom")
    assert wrong.exit_code == 2 and "'strom', nearest 'storm'; there are: default" in wrong.output
    twice = ("--scenario", "storm") * 2
    assert tree("report", *twice).exit_code == 0 and tree.count() == 1
    page = page_of(tree)
    assert "fig-storm-virt-a72" in page and "fig-ecdf-default" not in page
    assert tree("report").exit_code == 0 and "fig-ecdf-default" in page_of(tree)


def test_by_the_instruction_counter_one_pass_and_few_samples_are_run(tree):
    many = plan_text("default").replace("once", "abba").replace("sgi_self", "sgi_self n=120000")
    tree.scenario("default", many + "bench smc n=20\nbench tlb_chase pages=8 n=20\n")
    tree("report")
    run = text_of(read_plan(tree.qemu.with_name("image.default").read_bytes()))
    assert "order once" in run and "bench sgi_self n=10000\n" in run and "bench smc n=20\n" in run
    assert "bench tlb_chase n=1 pages=8\n" in run


@pytest.mark.long
def test_a_kept_run_of_the_same_image_and_plan_is_used_and_not_run_again(tree):
    """Digests decide: a run of another image or another plan, or a run that was changed, is not
    used."""
    assert tree.run("--scenario", "storm").exit_code == 0 and tree.count() == 1
    assert tree("report").exit_code == 0 and tree.count() == 2
    assert not (tree.home / "storm.jsonl").exists()
    assert "fig-storm-virt-a72" in page_of(tree)
    path = next((tree.root / "runs/virt-a72/storm").glob("*.jsonl"))
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    assert tree("report").exit_code == 0 and tree.count() == 3
    path.write_bytes(whole)
    tree.scenario("storm", plan_text("storm") + "limit_ms 5\n")
    assert tree("report").exit_code == 0 and tree.count() == 4
    change_image(tree)
    assert tree("report").exit_code == 0 and tree.count() == 6


@pytest.mark.long
def test_another_commit_of_the_same_code_is_not_run_again(tree):
    image, source = tree.out / "hypbench.elf", tree.out / "build_id.c"
    code = image.read_bytes()

    def build(name: str, more: bytes = b"") -> None:
        image.write_bytes(code + name.encode().ljust(digests.BUILD_ID_SIZE, b"\0") + more)
        source.write_text(f'const char build_id[sizeof(build_id)] = "{name}";\n')
    build("1234567")
    assert tree("report").exit_code == 0 and tree.count() == 2
    build("89abcde-dirty")
    assert tree("report").exit_code == 0 and tree.count() == 2
    build("89abcde-dirty", b"other code")
    assert tree("report").exit_code == 0 and tree.count() == 4


@pytest.mark.long
def test_report_says_which_plans_the_tree_lacks(tree):
    assert "left out: traps, states" in tree("report").stderr
    assert "are not in scenarios/, so their parts are missing: traps, states" in page_of(tree)


@pytest.mark.long
def test_report_of_a_run_that_is_cut(tree):
    whole = report_log("storm")
    tree.qemu.with_name("storm").write_bytes(whole[:len(whole) // 2])
    result = tree("report")
    assert result.exit_code == 1 and "Traceback" not in result.output
    assert "virt-a72 storm: lost: irq_storm" in result.output
    page = page_of(tree)
    assert "virt-a72, scenario storm: what follows shows what there is." in page
    assert "fig-storm-virt-a72" in page
    assert json.loads((tree.home / "storm.stamp").read_text())["problems"]
    tree.qemu.with_name("storm").write_bytes(whole)
    assert tree("report").exit_code == 0 and "what follows shows" not in page_of(tree)


def test_report_without_running(tree):
    result = tree("report", "--no-run", "--board", "virt-a72")
    assert result.exit_code == 1 and not tree.qemu.with_name("count").exists()
    assert "there are no records: it was not run" in page_of(tree)
    assert tree("report").exit_code == 0
    change_image(tree)
    late = tree("report", "--no-run", "--out", str(tree.root / "elsewhere"))
    assert late.exit_code == 0 and tree.count() == 2
    assert "of another image or scenario" in (tree.root / "elsewhere" / "index.html").read_text()


def test_report_of_a_board_that_is_not_built(tree):
    (tree.out / "hypbench.elf").unlink()
    result = tree("report")
    assert result.exit_code == 1 and "`make image BOARD=virt-a72` makes it" in result.output
    assert tree("report", "--board", "rpi").exit_code == 2



@pytest.mark.long
def test_what_only_qemu_knew_stays_known(tree):
    with tree.qemu.open("a") as script:
        script.write("sys.stdout.flush()\nsys.exit(3)\n")
    assert tree("report").exit_code == 1 and "QEMU ended with status 3" in page_of(tree)
    assert tree("report", "--no-run").exit_code == 1
    assert "QEMU ended with status 3" in page_of(tree)


def test_two_records_files_are_a_page_of_a_against_b(tree):
    a, b = tree.write("a.jsonl", ""), tree.write("b.jsonl.xz", "")
    a.write_bytes(report_log("default"))
    b.write_bytes(packed(report_log("default")))
    result = tree("report", str(a), str(b))
    assert result.exit_code == 0, result.output
    page = page_of(tree)
    assert "A against B" in page and "rows are the same" in page
    assert 'value="A-virt-a72"' in page and 'value="B-virt-a72"' in page
    single = tree("report", str(a))
    assert single.exit_code == 2 and "two files: A.jsonl B.jsonl" in single.output
    b.write_bytes(b.read_bytes()[:-1])
    cut = tree("report", str(a), str(b))
    assert cut.exit_code == 1 and "b.jsonl.xz is a damaged xz file: it is cut" in cut.output


def test_the_page_of_two_files_names_the_runs_that_it_takes(bench):
    paths = [bench.root / name for name in ("a", "b")]
    for path, name in zip(paths, ("reset", "third")):
        path.write_bytes(LOGS[name])
    result = bench("report", *map(str, paths), "--out", str(bench.root / "page"))
    assert result.exit_code == 0, result.output
    assert "run 2 of 2 is taken" in (bench.root / "page" / "index.html").read_text()
