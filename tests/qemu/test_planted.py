# SPDX-License-Identifier: Apache-2.0
"""The patches of planted.toml apply to this source."""

import shutil

from lab import TREE
from planted import PATCHES


def test_every_patch_applies(tmp_path):
    """The message names a patch that does not apply."""
    for name, patches in PATCHES.items():
        for patch in patches:
            (tmp_path / patch.path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TREE.root / patch.path, tmp_path / patch.path)
        for patch in patches:
            patch.apply(tmp_path, name)
