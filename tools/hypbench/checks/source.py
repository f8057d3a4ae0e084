# SPDX-License-Identifier: Apache-2.0
"""Rules for the C text: the order of layers, circles of includes and of calls, the folders of an
isa, and encodings."""

import re
from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from hypbench.checks.base import Violation, c_files, code_only, read_source, without_comments
from hypbench.tree import Tree

MAY_INCLUDE = {
    "abi": {"abi"},
    "lib": {"lib", "abi"},
    "arch": {"arch", "lib"},
    "drivers": {"drivers", "arch", "lib"},
    "boards": {"boards", "drivers", "arch", "lib"},
    "hyp": {"hyp", "boards", "drivers", "arch", "lib", "abi"},
    "guest": {"guest", "boards", "drivers", "arch", "lib", "abi"},
    "linker": {"linker", "boards", "arch", "abi"},
    "tools": {"tools"},
}
ANYTHING = {"tests"}
# The folders of a layer are layers themselves: each includes its own files and files of the folders
# before it.
FOLDERS = {
    "hyp": ("base", "cpu", "mem", "vcpu", "sched", "vm", "dev", "trap", "run"),
    "guest": ("kernel", "measure", "bench"),
}
CALLS_IN_ORDER = ("guest",)  # layers that must have no circle of calls
# The definition of a function that other files may call, as clang-format lays it out.
FUNCTION = re.compile(r"^(?!static\b)[A-Za-z_][\w *]*[ *](\w+)\([^;{}]*\)\n\{", re.MULTILINE)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
WORD = re.compile(r"\b[A-Za-z_]\w*\b")
CONDITIONAL = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif)\b(?P<condition>.*)")
ISA_MACRO = re.compile(r"\b(__aarch64__|__AARCH64\w+|__arm__|__ARM\w+|__thumb\w*__)")
INLINE_ASM = re.compile(r"\b(asm|__asm|__asm__)\b")
Declared = tuple[Path, int, str, str, tuple[str, ...]]  # path, line, direction, name, encoding
DECLARATION = re.compile(r"\b(SYSREG\w*)\(\s*(\w+)\s*(?:,([^()]*))?\)")
LIST = re.compile(r"arch/common/include/arch/(sysreg.*|el1_regs|newer_regs)\.(h|inc)")
# An entry of EL1_REGS(X) is X(name, reset, SYSREG…, encoding).
ENTRY = re.compile(r"\bX\(\s*(\w+)\s*,[^,()]*,\s*(SYSREG\w*)\s*(?:,([^()]*))?\)")
DEFINITION = re.compile(r"^\s*#\s*define\b(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)


def check_layers(tree: Tree) -> Iterator[Violation]:
    """Check which file includes which. A file's first folder is its layer. In hyp/ and guest/ the
    second folder is a layer, too."""
    files = c_files(tree)
    targets = include_names(files)
    for path in files:
        layer = path.parts[0]
        if layer in ANYTHING:
            continue
        if layer not in MAY_INCLUDE:
            yield Violation(path, 1, f"'{layer}' is no layer")
            continue
        source = without_comments(read_source(tree, path))
        for match in INCLUDE.finditer(source):
            line = source.count("\n", 0, match.start()) + 1
            fault = (include_fault(layer, match[1], match[2], targets)
                     or folder_fault(path, match[2]))
            if fault:
                yield Violation(path, line, fault)


def include_names(files: list[Path]) -> dict[str, str]:
    """Return every way to spell a header, with the header's layer: from the top of the tree, or
    from a folder arch/<isa>/include if each isa has a header of that name."""
    names = {}
    for path in files:
        names[path.as_posix()] = path.parts[0]
        if "arch" in path.parts and "include" in path.parts:
            start = path.parts.index("include") + 1
            names[Path(*path.parts[start:]).as_posix()] = path.parts[0]
            del names[path.as_posix()]
    return names


def include_fault(layer: str, quote: str, name: str, targets: dict[str, str]) -> str:
    target = targets.get(name)
    if quote == "<":
        return f"<{name}> is of this tree: it goes in quotes" if target else ""
    if target is None:
        return f'"{name}" is not spelled from the top of the tree, or does not exist'
    if target not in MAY_INCLUDE[layer]:
        return f'{layer} must not include {target} ("{name}")'
    return ""


def folder_fault(path: Path, name: str) -> str:
    """Return a message if an include breaks the order of folders. hyp/arch has no place in this
    order; circles of includes show a violation there."""
    layer = path.parts[0]
    rank, target_rank = folder_rank(path, layer), folder_rank(Path(name), layer)
    if rank is None or target_rank is None or target_rank <= rank:
        return ""
    folders = FOLDERS[layer]
    return f'{layer}/{folders[rank]} must not include {layer}/{folders[target_rank]} ("{name}")'


def folder_rank(path: Path, layer: str) -> int | None:
    """Return the index of a file's folder among the folders of this layer."""
    folders = FOLDERS.get(layer, ())
    if path.parts[0] != layer or len(path.parts) < 2 or path.parts[1] not in folders:
        return None
    return folders.index(path.parts[1])


def check_circles(tree: Tree) -> Iterator[Violation]:
    """Check that no two modules of hyp/ or guest/ include each other, and no two C files of guest/
    call each other, not even through others. A module is a .c file and its header."""
    for layer in FOLDERS:
        yield from circle_of(includes(tree, layer), "includes")
    for layer in CALLS_IN_ORDER:
        yield from circle_of(calls(tree, layer), "calls")


def includes(tree: Tree, layer: str) -> dict[Path, set[Path]]:
    included: dict[Path, set[Path]] = {}
    for path in c_files(tree):
        if path.parts[0] == layer and path.suffix in (".c", ".h"):
            source = without_comments(read_source(tree, path))
            module = path.with_suffix("")
            included.setdefault(module, set()).update(
                Path(match[2]).with_suffix("") for match in INCLUDE.finditer(source)
                if match[2].startswith(f"{layer}/"))
    return included


def calls(tree: Tree, layer: str) -> dict[Path, set[Path]]:
    """Return, for each C file, the files that define a function which the file names. If several
    files define a function (one for each isa or image), a use counts as a call of each."""
    sources = {path: code_only(read_source(tree, path)) for path in c_files(tree)
               if path.parts[0] == layer and path.suffix == ".c"}
    definers: dict[str, set[Path]] = defaultdict(set)
    for path, source in sources.items():
        for name in FUNCTION.findall(source):
            definers[name].add(path)
    return {path: {definer for name in WORD.findall(source) if path not in definers.get(name, ())
                   for definer in definers.get(name, ())}
            for path, source in sources.items()}


def circle_of(graph: dict[Path, set[Path]], verb: str) -> Iterator[Violation]:
    try:
        TopologicalSorter({path: sorted(targets - {path})
                           for path, targets in graph.items()}).prepare()
    except CycleError as error:
        circle = [path.as_posix() for path in reversed(error.args[1])]
        yield Violation(Path(circle[0]), 1, f"{verb} itself: " + " -> ".join(circle))


def check_isa(tree: Tree) -> Iterator[Violation]:
    """Check that code of one isa is in a folder named arch, and that other code has no
    conditionals."""
    for path in c_files(tree):
        if "arch" in path.parts[:-1]:
            continue
        if path.suffix in (".S", ".inc") and not path.name.endswith(
                (".ld.S", ".ld.inc", ".c.inc")):
            yield Violation(path, 1, "an assembly file outside a folder named arch")
        lines = code_only(read_source(tree, path)).splitlines()
        for number, line in enumerate(lines, 1):
            yield from (Violation(path, number, text) for text in line_faults(path, line))


def line_faults(path: Path, line: str) -> Iterator[str]:
    conditional = CONDITIONAL.match(line)
    if conditional and "__ASSEMBLER__" not in conditional["condition"]:
        yield f"#{conditional[1]} outside a folder named arch"
    if path.parts[0] == "tests":
        return
    macro = ISA_MACRO.search(line)
    if macro:
        yield f"{macro[1]} outside a folder named arch"
    if path.suffix != ".S" and INLINE_ASM.search(line):
        yield "inline assembly outside a folder named arch"


def check_sysregs(tree: Tree) -> Iterator[Violation]:
    """Check that no two system registers share an encoding, and none is declared twice."""
    for isa in ("armv7", "armv8"):
        paths = [path for path in tree.files()
                 if LIST.fullmatch(path.as_posix().replace(isa, "common"))]
        declared = [(path, *declaration) for path in paths
                    for declaration in declarations(tree, path, isa)]
        if not declared:
            yield Violation(Path(f"arch/{isa}/include/arch/sysreg.h"), 1,
                            "no SYSREG…() declaration found: this check sees nothing")
        yield from duplicates(declared)


def declarations(tree: Tree, path: Path,
                 isa: str) -> Iterator[tuple[int, str, str, tuple[str, ...]]]:
    """Yield (line, direction, name, encoding). ARMv8 has no encodings, because the assembler of
    ARMv8 knows the names."""
    source = code_only(read_source(tree, path))
    outside = DEFINITION.sub(lambda match: "\n" * match[0].count("\n"), source)
    for text, pattern, kind, name in ((source, ENTRY, 2, 1), (outside, DECLARATION, 1, 2)):
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            encoding = tuple(word.strip().lower().removeprefix("c")
                             for word in (match[3] or "").split(",") if word.strip())
            encoding *= isa == "armv7"
            for direction, opposite in (("read", "WRITE"), ("write", "READ")):
                if opposite not in match[kind]:
                    yield line, direction, match[name], encoding


def duplicates(declared: list[Declared]) -> Iterator[Violation]:
    first: dict[tuple[str, str], str] = {}
    for path, line, direction, name, encoding in declared:
        for key in filter(None, (name, ", ".join(encoding))):
            earlier = first.setdefault((direction, key), f"{name} ({path}:{line})")
            if earlier == f"{name} ({path}:{line})":
                continue
            subject = name if key == name else f"encoding {key} of {name}"
            yield Violation(path, line, f"{direction} of {subject} is that of {earlier} too")
