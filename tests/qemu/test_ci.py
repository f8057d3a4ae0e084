# SPDX-License-Identifier: Apache-2.0
"""The pipelines of docs/howto/ci.md, run by a local runner in a repository with a base and a
change: one change keeps every path, and one makes a hypercall longer."""

import re
import shutil
import subprocess

import pytest
from ruamel.yaml import YAML

from howto import PAGES, blocks
from lab import is_built
from test_clone import BOARD, Clone, environment

pytestmark = pytest.mark.nightly

HYPERCALL = "	return vcpu_result(vcpu, HC_OK);\n}\n\nstatic struct vcpu *hc_record("
LONGER = HYPERCALL.replace("	return", '	__asm__ volatile("nop");\n	return', 1)
PAGE, = (page for page in PAGES if page.stem == "ci")
# These commands install programs that a container of the service lacks.
PREPARES = re.compile(r"apt-get|git config --global")


class Repository(Clone):
    def __init__(self, root):
        super().__init__(root)
        if is_built(BOARD):
            self.take_objects(BOARD)
        self.git("init", "-q")
        self.git("add", "-A")
        self.base = self.commit("base")
        path = root / "hyp" / "trap" / "hypercall.c"
        text = path.read_text()
        path.write_text("/* a comment */\n" + text)
        self.same = self.commit("the same instructions")
        assert HYPERCALL in text
        path.write_text(text.replace(HYPERCALL, LONGER))
        self.longer = self.commit("a longer path")

    def git(self, *words: str) -> str:
        return subprocess.run(["git", "-c", "user.name=one", "-c", "user.email=one@one.invalid",
                               *words], cwd=self.root, check=True, text=True,
                              stdout=subprocess.PIPE).stdout.strip()

    def commit(self, text: str) -> str:
        self.git("commit", "-qam", text)
        return self.git("rev-parse", "HEAD")

    def follow(self, steps: list[str], **variables: str) -> tuple[int, str]:
        """Return the status of the first step that fails, or 0, and the output of the last step."""
        for step in steps:
            process = subprocess.run(["bash", "-ec", step], cwd=self.root, text=True, check=False,
                                     env=environment(**variables), stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if process.returncode:
                break
        return process.returncode, process.stdout


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    clone = Repository(tmp_path_factory.mktemp("ci") / "repository")
    yield clone
    shutil.rmtree(clone.root)


def pipeline(name: str) -> dict:
    text, = (block.text for block in blocks(PAGE) if block.more == name)
    return YAML(typ="safe", pure=True).load(text)


def github_steps() -> list[str]:
    job = pipeline(".github/workflows/path-lengths.yml")["jobs"]["compare"]
    assert job["env"] == {"BASE": "${{ github.event.pull_request.base.sha }}"}
    return [step["run"] for step in job["steps"] if not PREPARES.search(step.get("run", "apt-get"))]


def gitlab_steps() -> list[str]:
    return pipeline(".gitlab-ci.yml")["path-lengths"]["script"]


def test_github_passes_the_same_path_and_refuses_a_longer_one(repository, tmp_path):
    """The error names the path; the summary of the pull request has its lengths."""
    for commit, status in ((repository.same, 0), (repository.longer, 2)):
        summary = tmp_path / f"summary-{status}"
        summary.touch()
        code, output = repository.follow(github_steps(), BASE=repository.base, GITHUB_SHA=commit,
                                         GITHUB_STEP_SUMMARY=str(summary))
        assert (code != 0) == (status != 0), output
        assert ("::error title=hvc null%2C trapped::SLOWER by more than 0" in output) == (
            bool(status))
        assert "::notice title=virt-a72%2C scenario default" in output
        lengths = re.search(r"\| hvc null \| trapped \| (\d+) -&gt; (\d+) ticks \|",
                            summary.read_text())
        assert bool(lengths) == bool(status)
        assert not lengths or int(lengths[2]) - int(lengths[1]) == 1  # the added nop


def test_gitlab_refuses_a_longer_path(repository):
    status, output = repository.follow(
        gitlab_steps(), CI_MERGE_REQUEST_DIFF_BASE_SHA=repository.base,
        CI_COMMIT_SHA=repository.longer)
    assert status != 0, output
    report = (repository.root / "compare.xml").read_text()
    assert 'failures="3"' in report and 'errors="0"' in report
