# SPDX-License-Identifier: Apache-2.0
"""The pipelines of docs/howto/ci.md, and this project's own, fit the public schemas of GitHub's and
GitLab's files, and have the commands that a local runner of tests/qemu/test_ci.py runs."""

import json
import re
from importlib.resources import files

import jsonschema
import pytest
from ruamel.yaml import YAML

from hypbench.tree import HOME

PAGE = HOME / "docs" / "howto" / "ci.md"
OWN = HOME / ".github" / "workflows" / "ci.yml"
SCHEMAS = files("check_jsonschema") / "builtin_schemas" / "vendor"
BLOCK = re.compile(r"^```yaml (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SCHEMA_OF = {".github/workflows/path-lengths.yml": "github-workflows",
             ".gitlab-ci.yml": "gitlab-ci"}


def pipelines() -> dict[str, str]:
    return dict(BLOCK.findall(PAGE.read_text()))


def check(text: str, schema: str) -> None:
    rules = json.loads((SCHEMAS / f"{schema}.json").read_text())
    errors = jsonschema.validators.validator_for(rules)(rules).iter_errors(
        YAML(typ="safe", pure=True).load(text))
    assert [error.message for error in errors] == []


def test_the_page_has_a_pipeline_for_each_service():
    assert pipelines().keys() == SCHEMA_OF.keys()


@pytest.mark.parametrize("name", SCHEMA_OF)
def test_a_pipeline_of_the_page_fits_its_schema(name):
    check(pipelines()[name], SCHEMA_OF[name])


def test_the_projects_own_workflow_fits_the_schema():
    check(OWN.read_text(), "github-workflows")
