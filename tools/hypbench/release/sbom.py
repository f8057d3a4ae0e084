# SPDX-License-Identifier: Apache-2.0
"""The bill of materials of a release, as CycloneDX 1.6 JSON: the images with their digests, the
libraries that the compiler links into them, the files of other projects on cards, and the packages
that the host tools import, in the tested versions. CycloneDX's own library would add eleven
packages for one file with a fixed form."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from hypbench.records import Data
from hypbench.release.commit import Commit
from hypbench.release.contents import BoardFiles, Origin
from hypbench.tree import Tree

LICENSE = "Apache-2.0"
PIN = re.compile(r"^([\w.-]+)==(\S+)$", re.MULTILINE)
NEEDED = re.compile(r'^  "([\w.-]+)>=', re.MULTILINE)
# COMPILERS has the compiler of each ISA, and LINKED the archives from which that compiler links
# code.
COMPILERS = {"armv7": "arm-none-eabi-gcc", "armv8": "aarch64-linux-gnu-gcc"}
LINKED = {"armv7": ("libgcc.a", "libc.a", "libm.a"), "armv8": ("libgcc.a",)}
PICOLIBC = "picolibc-aarch64-linux-gnu"


def bill(tree: Tree, commit: Commit, boards: list[BoardFiles], wheel: tuple[str, bytes]) -> bytes:
    time = datetime.fromtimestamp(commit.time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    components = [component("application", wheel[0], commit.version, wheel[1], LICENSE),
                  *images(boards, commit), *card_files(boards), *linked_libraries(),
                  *python_packages(tree)]
    content: Data = {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, f'hypbench:{commit.checksum}')}",
        "metadata": {"timestamp": time, "tools": {"components": list(compilers())},
                     "component": {"type": "application", "name": "hypbench",
                                   "version": commit.version, "bom-ref": "hypbench",
                                   "licenses": [{"license": {"id": LICENSE}}],
                                   "properties": [{"name": "hypbench:commit",
                                                   "value": commit.checksum}]}},
        "components": components}
    return (json.dumps(content, indent=1, sort_keys=True) + "\n").encode()


def component(kind: str, name: str, version: str, data: bytes = b"", license_id: str = "",
              **more: object) -> Data:
    entry: Data = {"type": kind, "name": name, "version": version, "bom-ref": f"{name}@{version}"}
    if data:
        entry["hashes"] = [{"alg": "SHA-256", "content": sha256(data).hexdigest()}]
    if license_id:
        entry["licenses"] = [{"license": {"id": license_id}}]
    return entry | more


def images(boards: list[BoardFiles], commit: Commit) -> Iterator[Data]:
    for board in boards:
        for name, data in sorted(board.files.items()):
            if name.startswith("hypbench."):
                yield component("firmware", f"{board.name}/{name}", commit.version, data, LICENSE)


def card_files(boards: list[BoardFiles]) -> Iterator[Data]:
    for board in boards:
        for origin in board.origins:
            yield component("firmware", f"{board.name}/{origin.name}", origin.version, origin.data,
                            **licensed(board.name, origin))


def licensed(board: str, origin: Origin) -> Data:
    """Return the licences of a package as the package's own file lists them."""
    text = f"see boards/{board}/copyright-{origin.package}"
    return {"licenses": [{"license": {"name": text}}], "purl": purl(origin.package, origin.version)}


def purl(package: str, version: str) -> str:
    return f"pkg:deb/debian/{package}@{version.replace('+', '%2B').replace(':', '%3A')}"


def python_packages(tree: Tree) -> Iterator[Data]:
    """Return the direct dependencies of the wheel with their lower limits, from which pip
    chooses."""
    pins = dict(PIN.findall((tree.root / "tools" / "requirements.txt").read_text()))
    for name in NEEDED.findall((tree.root / "pyproject.toml").read_text()):
        yield component("library", name, pins[name], scope="required",
                        purl=f"pkg:pypi/{name.lower().replace('_', '-')}@{pins[name]}")


def compilers() -> Iterator[Data]:
    for program in COMPILERS.values():
        answer = output(program, "--version")
        yield {"type": "application", "name": program,
               "version": answer.splitlines()[0].partition(" ")[2] if answer else "unknown"}


def linked_libraries() -> Iterator[Data]:
    """Return Debian's packages from whose archives the linker takes code."""
    packages = {package for isa, program in COMPILERS.items() for archive in LINKED[isa]
                for package in owners(output(program, f"-print-file-name={archive}").strip())}
    for package in sorted(packages | {PICOLIBC}):
        version = output("dpkg-query", "-W", "-f=${Version}", package)
        if version:
            yield component("library", package, version, purl=purl(package, version))


def owners(path: str) -> Iterator[str]:
    if Path(path).is_absolute():
        for line in output("dpkg-query", "-S", str(Path(path).resolve())).splitlines():
            yield line.partition(":")[0]


def output(*words: str) -> str:
    """Return the output of a program, or "" if this machine lacks the program."""
    if not shutil.which(words[0]):
        return ""
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout
