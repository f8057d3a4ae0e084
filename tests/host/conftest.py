# SPDX-License-Identifier: Apache-2.0
"""The tree that most tests of the host tools run the command line in."""

import pytest

from workbench import Bench


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)
