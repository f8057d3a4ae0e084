# SPDX-License-Identifier: Apache-2.0
"""Texts that Jinja fills in, each beside its module."""

from jinja2 import Environment, PackageLoader, StrictUndefined

ENVIRONMENT = Environment(loader=PackageLoader("hypbench", ""), trim_blocks=True,
                          lstrip_blocks=True, keep_trailing_newline=True,
                          undefined=StrictUndefined)


def filled_in(name: str, /, **values: object) -> str:
    """Fill in the file `name` of this package's folder."""
    return ENVIRONMENT.get_template(name).render(**values)
