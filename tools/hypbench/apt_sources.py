# SPDX-License-Identifier: Apache-2.0
"""The machine's apt sources, and entries derived from them: the same archive, another suite. An
entry is the fields of a paragraph in apt's deb822 style, with one URI."""

import platform
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import click
from debian.deb822 import Deb822

# Fields that a derived entry does not copy.
REPLACED = {"types", "uris", "suites", "components", "architectures", "enabled"}
ONE_LINE = re.compile(r"^[ \t]*deb[ \t]+(?:\[([^]\n]*)\][ \t]*)?"
                      r"([^\s#[]\S*)[ \t]+([^\s#]+)([^#\n]*)", re.MULTILINE)
ONE_LINE_NAMES = {"arch": "Architectures", "lang": "Languages", "target": "Targets"}
FALSE_WORDS = {"no", "false", "without", "off", "disable", "0"}


class NotDebian(click.ClickException):
    """This machine has no apt, or its apt has no entry of Debian's archive."""


def entry(uri: str, suites: str, components: str, more: dict[str, str],
          architecture: str | None = None) -> Deb822:
    """Return an entry with the fields of an apt source. The entry copies Signed-By and the like
    from `more`, but no field of REPLACED."""
    paragraph = Deb822({"Types": "deb", "URIs": uri, "Suites": suites, "Components": components})
    if architecture:
        paragraph["Architectures"] = architecture
    paragraph.update({name.title(): value for name, value in more.items()
                      if name.lower() not in REPLACED})
    return paragraph


def parse_deb822(text: str) -> list[Deb822]:
    """Return the binary-package entries of a .sources file that are not disabled."""
    return [entry(uri, paragraph.get("Suites", ""), paragraph.get("Components", ""),
                  dict(paragraph))
            for paragraph in Deb822.iter_paragraphs(text.splitlines(keepends=True))
            if "deb" in paragraph.get("Types", "").split()
            and paragraph.get("Enabled", "yes").lower() not in FALSE_WORDS
            for uri in paragraph.get("URIs", "").split()]


def parse_one_line(text: str) -> list[Deb822]:
    """Return the `deb` lines of a .list file as entries: deb [name=value …] uri suite component…"""
    entries = []
    for options, uri, suite, components in ONE_LINE.findall(text):
        pairs = (word.partition("=") for word in options.split())
        entries.append(entry(uri, suite, components.strip(), {
            ONE_LINE_NAMES.get(name.lower(), name): value.replace(",", " ")
            for name, _, value in pairs}))
    return entries


def source_files() -> list[Path]:
    """Return the files of this machine's apt sources, in the order in which apt reads them."""
    if not shutil.which("apt-config"):
        raise NotDebian("this machine has no apt")
    output = subprocess.run(
        ["apt-config", "shell", "file", "Dir::Etc::sourcelist/f", "parts",
         "Dir::Etc::sourceparts/d"], capture_output=True, text=True, check=True).stdout
    settings = dict(word.split("=", 1) for word in shlex.split(output))
    parts = Path(settings["parts"])
    part_files = sorted([*parts.glob("*.list"), *parts.glob("*.sources")])
    return [path for path in [Path(settings["file"]), *part_files] if path.is_file()]


def machine_sources() -> list[Deb822]:
    entries = []
    for path in source_files():
        parse = parse_deb822 if path.suffix == ".sources" else parse_one_line
        entries += parse(path.read_text(errors="replace"))
    return entries


def codename() -> str:
    """Return the release of this Debian, such as bookworm."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        release = {}
    if release.get("ID") != "debian" or not release.get("VERSION_CODENAME"):
        raise NotDebian(f"this is {release.get('PRETTY_NAME', 'no Debian')}, not a Debian release")
    return release["VERSION_CODENAME"]


def debian_archive(sources: list[Deb822], release: str) -> Deb822:
    """Return the entry of Debian's own archive for this machine's release. Other archives also name
    their suites after Debian's releases, but lack main or updates."""
    archives = [source for source in sources
                if has_word(source, "Suites", release) and has_word(source, "Components", "main")]
    with_updates = {source["URIs"] for source in sources
                    if has_word(source, "Suites", f"{release}-updates")}
    archives.sort(key=lambda source: source["URIs"] not in with_updates)
    if not archives:
        raise NotDebian(f"no apt source of this machine has the suite {release} with main")
    return archives[0]


def has_word(source: Deb822, name: str, word: str) -> bool:
    return word in source[name].split()


def derived(suite: str, component: str = "main", architecture: str | None = None) -> Deb822:
    """Return an entry for another suite, component or architecture of the archive of this
    machine."""
    source = debian_archive(machine_sources(), codename())
    return entry(source["URIs"], suite, component, dict(source), architecture)
