# SPDX-License-Identifier: Apache-2.0
"""The archive of a release. The same files give the same bytes: names are sorted, times are the
commit's, owners and modes are fixed."""

import io
import lzma
import tarfile
from hashlib import sha256
from pathlib import Path

from hypbench.release.commit import Commit
from hypbench.release.contents import BoardFiles
from hypbench.tree import Tree

SUMS, BILL = "SHA256SUMS", "sbom.cdx.json"
PAGES = ("LICENSE", "CHANGELOG.md", "CAVEATS.md")
HOWTO = Path("docs/howto/release.md")  # source of the archive's README


def contents(tree: Tree, boards: list[BoardFiles], wheel: tuple[str, bytes], bill: bytes
             ) -> dict[str, bytes]:
    """Return each file of the archive by its name, with all digests in SHA256SUMS."""
    files = {name: (tree.root / name).read_bytes() for name in PAGES}
    files |= {"README.md": (tree.root / HOWTO).read_bytes(), wheel[0]: wheel[1], BILL: bill}
    for path in sorted(tree.root.glob("scenarios/*.toml")):
        files[f"scenarios/{path.name}"] = path.read_bytes()
    for board in boards:
        for name, data in board.files.items():
            files[f"boards/{board.name}/{name}"] = data
        for name in ("README.md", "card.toml", "boot.cmd", "config.txt"):
            page = tree.root / "boards" / board.name / name
            if page.is_file():
                files[f"boards/{board.name}/{name}"] = page.read_bytes()
    files[SUMS] = "".join(f"{sha256(files[name]).hexdigest()}  {name}\n"
                          for name in sorted(files)).encode()
    return files


def packed(files: dict[str, bytes], commit: Commit) -> bytes:
    uncompressed = io.BytesIO()
    with tarfile.open(fileobj=uncompressed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for folder in sorted({f"{commit.name}/{parent}".removesuffix("/.")
                              for name in files for parent in Path(name).parents}):
            archive.addfile(entry(folder, commit, tarfile.DIRTYPE, 0o755))
        for name in sorted(files):
            member = entry(f"{commit.name}/{name}", commit, tarfile.REGTYPE, 0o644)
            member.size = len(files[name])
            archive.addfile(member, io.BytesIO(files[name]))
    return lzma.compress(uncompressed.getvalue(), preset=6)


def entry(name: str, commit: Commit, kind: bytes, mode: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.mode, member.mtime = kind, mode, commit.time
    return member
