"""What fixes change, as a patch."""

from __future__ import annotations

from dataclasses import replace

from trainlint.finding import apply_edits
from trainlint.report.characters import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trainlint.finding import Edit, Finding
    from trainlint.report.settings import Style
    from trainlint.source import SourceFile

_CONTEXT = 3
"""Lines around a change."""
_LOOKS = {"-": "red", "+": "green", "@": "cyan"}
"""By how a line of a patch begins."""
_NO_NEWLINE = "\n\\ No newline at end of file\n"


def unified_difference(path: str, before: str, after: str) -> str:
    """A unified diff to be read or searched; `patch_of` makes one to be applied."""
    return patch_of(path, before.encode(), after.encode()).decode()


def difference_for_people(before: SourceFile, after: SourceFile) -> str:
    """What fixes change in a file, to be read; in a notebook, cell by cell."""
    if before.cells is None or after.cells is None:
        return unified_difference(before.path, before.text, after.text)
    pieces = zip(before.cells.numbers, before.cells.sources, after.cells.sources, strict=True)
    return "".join(
        unified_difference(f"{before.path}:cell {number}", f"{old}\n", f"{new}\n") for number, old, new in pieces
    )


def in_colors(patch: str, style: Style) -> str:
    """A unified diff as git shows it at a terminal."""
    if not style.color:
        return patch
    from rich.text import Text

    from trainlint.report.terminal import as_written

    return as_written((Text(line, _LOOKS.get(line[:1], "")) for line in patch.rstrip("\n").split("\n")), style)


def fix_difference(finding: Finding, source: SourceFile | None) -> str | None:
    """A unified diff of one finding's fix alone, in a notebook cell by cell.

    None where there is no fix, or the text that it is for is no longer at hand.
    """
    if finding.fix is None or source is None:
        return None
    pieces: list[str] = []
    for cell in dict.fromkeys(edit.cell for edit in finding.fix.edits):
        text = source if cell is None else source.cell(cell)
        edits = [edit for edit in finding.fix.edits if edit.cell == cell]
        if text is None or max(edit.stop for edit in edits) > len(text.text):
            return None
        name = finding.path.lstrip("/") if cell is None else f"{finding.path.lstrip('/')}:cell {cell}"
        pieces += [f"--- {_header(f'a/{name}').decode()}\n", f"+++ {_header(f'b/{name}').decode()}\n"]
        pieces += _hunks(text.text if cell is None else f"{text.text}\n", edits)
    return "".join(pieces)


def _hunks(text: str, edits: Sequence[Edit]) -> Iterator[str]:
    """The lines of a patch below its header. Only lines near the edits are compared, as the others stay."""
    from difflib import SequenceMatcher

    lines = _text_lines(text)
    added = 0
    for group in _near_each_other(text, edits):
        start, stop = _line_of(text, group[0].start), _line_of(text, group[-1].stop) + 1
        before, old, after = lines[max(0, start - _CONTEXT) : start], lines[start:stop], lines[stop : stop + _CONTEXT]
        begin = sum(map(len, lines[:start]))
        moved = [replace(edit, start=edit.start - begin, stop=edit.stop - begin) for edit in group]
        new = _text_lines(apply_edits("".join(old), moved))
        first, around = start - len(before), len(before) + len(after)
        yield f"@@ -{_range(first, around + len(old))} +{_range(first + added, around + len(new))} @@\n"
        yield from _signed(" ", before)
        steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        for tag, old_start, old_stop, new_start, new_stop in steps:
            if tag == "equal":
                yield from _signed(" ", old[old_start:old_stop])
            else:
                yield from _signed("-", old[old_start:old_stop])
                yield from _signed("+", new[new_start:new_stop])
        yield from _signed(" ", after)
        added += len(new) - len(old)


def _signed(sign: str, lines: Sequence[str]) -> Iterator[str]:
    return (f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}{_NO_NEWLINE}" for line in lines)


def _range(first: int, number: int) -> str:
    """So many lines from one, counted from 0, as a hunk names them."""
    return str(first + 1) if number == 1 else f"{first + 1 if number else first},{number}"


def _near_each_other(text: str, edits: Sequence[Edit]) -> Iterator[list[Edit]]:
    """The edits in groups whose lines of context do not meet."""
    group: list[Edit] = []
    for edit in edits:
        if group and _line_of(text, edit.start) - _line_of(text, group[-1].stop) > 2 * _CONTEXT:
            yield group
            group = []
        group.append(edit)
    yield group


def _line_of(text: str, offset: int) -> int:
    """The line of an offset, from 0, as patches count: only a line feed ends one."""
    return text.count("\n", 0, offset)


def patch_of(path: str, before: bytes, after: bytes) -> bytes:
    """A unified diff that `git apply` and `patch -p1` take; empty where nothing changes.

    It is made of the bytes of the file, so encoding, byte order mark and line ends are those of the file. `path` is
    relative to the directory in which the patch is to be applied.
    """
    import difflib

    path = path.lstrip("/")
    lines = difflib.diff_bytes(
        difflib.unified_diff, _lines(before), _lines(after), _header(f"a/{path}"), _header(f"b/{path}")
    )
    return b"".join(line if line.endswith(b"\n") else line + _NO_NEWLINE.encode() for line in lines)


def _header(name: str) -> bytes:
    """The name as git writes it in a patch. After one with a space, a tab tells patch where it ends."""
    written = quoted(name)
    return (f"{name}\t" if written == name and " " in name else written).encode()


def _text_lines(text: str) -> list[str]:
    return [line.decode() for line in _lines(text.encode())]


def _lines(data: bytes) -> list[bytes]:
    # Only the line feed ends a line of a patch; bytes.splitlines would also break at a carriage return.
    lines = data.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
