# SPDX-License-Identifier: Apache-2.0
"""A hook of mkdocs. The pages are written for readers of the tree. The site takes them unchanged,
adds the pages outside of docs/, and turns each path of a page into a link."""

import posixpath
import re
from pathlib import Path, PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

DOCS = "docs/"
OUTSIDE = ("*.md", "boards/*/README.md", "reference/*.md")
FENCE = re.compile(r"^(```+)(\w*) *(\S*)$")
PATH_SPAN = re.compile(r"`([\w./-]+\.md)`")
LINK = re.compile(r"\]\(([\w./-]+)(#[\w-]+)?\)")
LIST = re.compile(r"(?:[-*]|\d+\.) ")


def on_files(files: Files, /, *, config: MkDocsConfig) -> Files:
    """Add the pages outside of docs/, under their paths in the tree."""
    root = Path(config.config_file_path).parent
    for pattern in OUTSIDE:
        for path in sorted(root.glob(pattern)):
            files.append(File.generated(config, path.relative_to(root).as_posix(),
                                        abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, /, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return the text with links between pages of the site, and with the blank line that the
    converter needs before a list or a table."""
    root = Path(config.config_file_path).parent
    lines: list[str] = []
    fence = ""
    for line in markdown.split("\n"):
        match = FENCE.match(line)
        if fence:
            fence = "" if line == fence else fence
            lines.append(line)
        elif match:
            fence = match[1]
            lines += [*file_name(match[3], lines[-2:]), match[1] + match[2]]
        elif line.startswith("    "):
            lines.append(line)
        else:
            lines += [""] if begins_block(line, lines[-1] if lines else "") else []
            lines.append(add_links(line, page.file, files, root))
    return "\n".join(lines)


def file_name(name: str, before: list[str]) -> list[str]:
    """Return the lines that name the file of a block, if the text before does not."""
    return [f"`{name}`:", ""] if "." in name and not any(name in line for line in before) else []


def begins_block(line: str, before: str) -> bool:
    """Return whether a list or a table begins at this line without a blank line before it."""
    if line.startswith("|"):
        return bool(before.strip()) and not before.startswith("|")
    return (bool(LIST.match(line)) and bool(before.strip())
            and not LIST.match(before) and not before.startswith(" "))


def add_links(line: str, source: File, files: Files, root: Path) -> str:
    def span(match: re.Match[str]) -> str:
        uri = match[1].removeprefix(DOCS)
        if files.get_file_from_path(uri) is None or not (root / match[1]).is_file():
            return match[0]
        return f"[{match[0]}]({relative(uri, source)})"

    def link(match: re.Match[str]) -> str:
        target = (tree_path(source, root).parent / match[1]).as_posix()
        uri = posixpath.normpath(target).removeprefix(DOCS)
        return f"]({relative(uri, source)}{match[2] or ''})"

    return PATH_SPAN.sub(span, LINK.sub(link, line))


def tree_path(source: File, root: Path) -> PurePosixPath:
    """Return the path of a page in the tree."""
    inside = PurePosixPath(DOCS, source.src_uri)
    return inside if (root / inside).is_file() else PurePosixPath(source.src_uri)


def relative(uri: str, source: File) -> str:
    return posixpath.relpath(uri, posixpath.dirname(source.src_uri) or ".")
