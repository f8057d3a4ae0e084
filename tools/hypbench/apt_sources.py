# SPDX-License-Identifier: Apache-2.0
"""The machine's apt sources, and entries derived from them: the same archive, another suite."""

import platform
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field, replace
from email.parser import HeaderParser
from pathlib import Path

import click

# fields of an entry that a derived one says anew
REPLACED = {"types", "uris", "suites", "components", "architectures", "enabled"}
ONE_LINE_NAMES = {"arch": "architectures", "lang": "languages", "target": "targets"}
FALSE_WORDS = {"no", "false", "without", "off", "disable", "0"}


class NotDebian(click.ClickException):
    """This machine has no apt, or none with an entry of Debian's archive."""


@dataclass(frozen=True)
class Source:
    """One archive as an entry has it; `options` are further fields (Signed-By and the like)."""

    uri: str
    suites: tuple[str, ...]
    components: tuple[str, ...]
    options: dict[str, str] = field(default_factory=dict)
    architecture: str | None = None

    def text(self) -> str:
        """The entry in apt's deb822 style."""
        fields = {"Types": "deb", "URIs": self.uri, "Suites": " ".join(self.suites),
                  "Components": " ".join(self.components)}
        if self.architecture:
            fields["Architectures"] = self.architecture
        fields |= {name.title(): value for name, value in self.options.items()}
        # a value of several lines (a key in the entry) brings its own line ends and blanks
        return "".join(f"{name}: {value}\n" for name, value in fields.items())


def parse_deb822(text: str) -> list[Source]:
    """The binary-package entries of a .sources file that are not switched off."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    paragraphs = "\n".join(line.rstrip() for line in lines).split("\n\n")
    found = []
    for paragraph in paragraphs:
        message = HeaderParser().parsestr(paragraph.strip("\n") + "\n\n")
        fields = {name.lower(): value.strip(" ") for name, value in message.items()}
        words = {name: tuple(fields.get(name, "").split()) for name in REPLACED}
        if "deb" not in words["types"] or fields.get("enabled", "yes").lower() in FALSE_WORDS:
            continue
        options = {name: value for name, value in fields.items() if name not in REPLACED}
        found += [Source(uri, words["suites"], words["components"], options)
                  for uri in words["uris"]]
    return found


def parse_one_line(text: str) -> list[Source]:
    """The `deb` lines of a .list file: deb [name=value …] uri suite component…"""
    found = []
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if len(words) < 3 or words[0] != "deb":
            continue
        options = {}
        if words[1].startswith("["):
            end = next(at for at, word in enumerate(words) if word.endswith("]"))
            inside = " ".join(words[1:end + 1])[1:-1].split()
            pairs = [word.split("=", 1) for word in inside]
            options = {ONE_LINE_NAMES.get(name.lower(), name.lower()): value
                       for name, value in pairs}
            options = {name: value.replace(",", " ") for name, value in options.items()
                       if name not in REPLACED}
            words = words[:1] + words[end + 1:]
        found.append(Source(words[1], (words[2],), tuple(words[3:]), options))
    return found


def source_files() -> list[Path]:
    """Where this machine's apt keeps its sources, in the order apt reads them."""
    if not shutil.which("apt-config"):
        raise NotDebian("this machine has no apt")
    said = subprocess.run(
        ["apt-config", "shell", "file", "Dir::Etc::sourcelist/f", "parts",
         "Dir::Etc::sourceparts/d"], capture_output=True, text=True, check=True).stdout
    where = dict(word.split("=", 1) for word in shlex.split(said))
    parts = Path(where["parts"])
    inside = sorted([*parts.glob("*.list"), *parts.glob("*.sources")])
    return [path for path in [Path(where["file"]), *inside] if path.is_file()]


def machine_sources() -> list[Source]:
    found = []
    for path in source_files():
        parse = parse_deb822 if path.suffix == ".sources" else parse_one_line
        found += parse(path.read_text(errors="replace"))
    return found


def codename() -> str:
    """The release of this Debian, such as bookworm."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        release = {}
    if release.get("ID") != "debian" or not release.get("VERSION_CODENAME"):
        raise NotDebian(f"this is {release.get('PRETTY_NAME', 'no Debian')}, not a Debian release")
    return release["VERSION_CODENAME"]


def debian_archive(sources: list[Source], release: str) -> Source:
    """The entry of Debian's own archive: that of this machine's release.

    Others name their suites after Debian's releases as well, but have no main or no updates.
    """
    own = [source for source in sources if release in source.suites and "main" in source.components]
    with_updates = {source.uri for source in sources if f"{release}-updates" in source.suites}
    own.sort(key=lambda source: source.uri not in with_updates)
    if not own:
        raise NotDebian(f"no apt source of this machine has the suite {release} with main")
    return own[0]


def derived(suite: str, components: tuple[str, ...] = ("main",),
            architecture: str | None = None) -> Source:
    """An entry for another suite, component or architecture of the archive of this machine."""
    source = debian_archive(machine_sources(), codename())
    return replace(source, suites=(suite,), components=components, architecture=architecture)
