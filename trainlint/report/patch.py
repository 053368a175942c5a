"""What fixes change, as a patch."""

from __future__ import annotations

from trainlint.report.characters import quoted


def unified_difference(path: str, before: str, after: str) -> str:
    """A unified diff that `git apply` and `patch -p1` take; empty where nothing changes. Line ends are kept."""
    import difflib

    old, new = _header(f"a/{path.lstrip('/')}"), _header(f"b/{path.lstrip('/')}")
    lines = difflib.unified_diff(_lines(before), _lines(after), old, new)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _header(name: str) -> str:
    """The name as git writes it in a patch. After one with a space, a tab tells patch where it ends."""
    written = quoted(name)
    return f"{name}\t" if written == name and " " in name else written


def _lines(text: str) -> list[str]:
    # Only the line feed ends a line of a patch; str.splitlines would also break at form feeds and the like.
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
