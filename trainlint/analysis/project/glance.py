"""What is known of a file before it is parsed: read off its bytes, in a few searches for literal words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trainlint.analysis.tables.file_words.devices import names_device
from trainlint.analysis.tables.file_words.programs import Program, program
from trainlint.analysis.tables.file_words.settings import copies_without_waiting, sets_autocast
from trainlint.analysis.tables.frameworks.process_groups import STARTING_PROCESSES
from trainlint.patterns import lazy

_LETTER = rb"[\w\x80-\xff]"
"""A letter of a name, in UTF-8."""
_IMPORT = lazy(
    rb"[ \t]*(?:from[ \t]+(?![ \t])((?:" + _LETTER + rb"|\.)*)[ \t]+import[ \t]+(?![ \t])(\([^)]*\)|[^\n]*)|"
    rb"import[ \t]+(?![ \t])([^\n]+))"
)
_NAME = lazy(rb"(?:^|[,(])\s*(" + _LETTER + rb"+)")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Glance(NamedTuple):
    """A file at a glance. It depends on the file's bytes and on nothing else, so it may be kept for as long as they."""

    telling: bool
    """Whether it holds a word of training."""
    imports: tuple[str, ...]
    """The dotted origins that it imports; relative ones keep their dots."""
    names_device: bool
    """Whether it names a device, or a framework that chooses one."""
    size: int
    """In bytes."""
    program: Program
    """Whether it is run, and whether it may update parameters."""
    names_torch: bool
    """Whether it speaks of PyTorch."""
    starts_processes: bool = False
    """Whether it may start a process group, or hands that to a framework."""
    pins: bool = False
    """Whether it names memory that is pinned."""
    sets_autocast: bool = False
    """Whether it may set the type of all autocasts of a program."""
    copies_without_waiting: bool = False
    """Whether it may copy to a device while the host goes on."""
    indented: frozenset[str] = frozenset()
    """Of what it imports, what only code inside something does: a function, a test, a `try`."""


def glance(data: bytes, *, telling: bool, names_torch: bool = True) -> Glance:
    """What the bytes of a file show. `telling` says whether the gate lets them through."""
    imports = tuple(_imports(data.removeprefix(_BYTE_ORDER_MARK)))
    return Glance(
        telling=telling,
        imports=tuple([origin for origin, _ in imports]),
        names_device=names_device(data),
        size=len(data),
        program=program(data),
        names_torch=names_torch,
        starts_processes=any(word in data for word in STARTING_PROCESSES),
        pins=b"pin_mem" in data,
        sets_autocast=sets_autocast(data),
        copies_without_waiting=copies_without_waiting(data),
        indented=frozenset([origin for origin, inside in imports if inside]).difference(
            [origin for origin, inside in imports if not inside]
        ),
    )


def _imports(data: bytes) -> Iterator[tuple[str, bool]]:
    """The origins of all lines that read like an import, and whether the line is indented.

    The word is searched first, and its line is looked at then: three times as fast as to look at every line.
    """
    last_closing = data.rfind(b")")
    at = data.find(b"import")
    while at >= 0:
        # Nothing closes a parenthesis behind the last closing one, so nothing beyond the line is looked at there.
        stop = data.find(b"\n", at) if at > last_closing else -1
        found = _IMPORT.match(data, data.rfind(b"\n", 0, at) + 1, len(data) if stop < 0 else stop)
        if found is not None:
            is_inside = data[found.start() : found.start() + 1] in (b" ", b"\t")
            yield from ((origin, is_inside) for origin in _origins(*found.groups()))
            at = data.find(b"import", max(at + 1, found.end()))
        else:  # nor is there an import at any other place of this line
            line_end = data.find(b"\n", at)
            at = data.find(b"import", line_end) if line_end >= 0 else -1


def _origins(module: bytes | None, names: bytes | None, plain: bytes | None) -> Iterator[str]:
    if module is None or names is None:
        for part in (plain or b"").partition(b"#")[0].split(b","):
            if part.strip():
                yield _text(part.split()[0])
        return
    base = _text(module)
    separator = "" if base.endswith(".") else "."
    found = _NAME.findall(names)
    if not found:
        yield base
    for name in found:
        yield f"{base}{separator}{_text(name)}"


def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace")
