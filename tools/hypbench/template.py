# SPDX-License-Identifier: Apache-2.0
"""Fill in texts with Jinja. Each text is in the folder of its module."""

from jinja2 import Environment, PackageLoader, StrictUndefined

ENVIRONMENT = Environment(loader=PackageLoader("hypbench", ""), trim_blocks=True,
                          lstrip_blocks=True, keep_trailing_newline=True,
                          undefined=StrictUndefined)


def filled_in(name: str, /, **values: object) -> str:
    """Return the text of the file `name`, a path in this package's folder, with the values."""
    return ENVIRONMENT.get_template(name).render(**values)
