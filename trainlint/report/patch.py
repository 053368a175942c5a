"""What fixes change, as a patch."""

from __future__ import annotations

from trainlint.finding import apply_edits
from trainlint.report.characters import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.finding import Finding
    from trainlint.source import SourceFile


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
        end = "" if cell is None else "\n"
        path = finding.path if cell is None else f"{finding.path}:cell {cell}"
        pieces.append(unified_difference(path, text.text + end, apply_edits(text.text, edits) + end))
    return "".join(pieces)


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
    return b"".join(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in lines)


def _header(name: str) -> bytes:
    """The name as git writes it in a patch. After one with a space, a tab tells patch where it ends."""
    written = quoted(name)
    return (f"{name}\t" if written == name and " " in name else written).encode()


def _lines(data: bytes) -> list[bytes]:
    # Only the line feed ends a line of a patch; bytes.splitlines would also break at a carriage return.
    lines = data.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
