# SPDX-License-Identifier: Apache-2.0
"""Texts that are filled in by Jinja, each beside the module that wants it."""

from jinja2 import Environment, PackageLoader, StrictUndefined

ENVIRONMENT = Environment(loader=PackageLoader("hypbench", ""), trim_blocks=True,
                          lstrip_blocks=True, keep_trailing_newline=True,
                          undefined=StrictUndefined)


def filled_in(name: str, /, **values: object) -> str:
    """`name`: of a file, from this package's folder."""
    return ENVIRONMENT.get_template(name).render(**values)
