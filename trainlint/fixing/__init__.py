"""Fixes: whole ones only, to a fixpoint, written atomically. Rules make their edits with `rewrite`."""

from trainlint.fixing.apply import Applied, apply_fixes
from trainlint.fixing.fixpoint import FixResult, Judge, fix_to_fixpoint
from trainlint.fixing.write import FileChanged, NotWritten, replace_content

__all__ = [
    "Applied",
    "FileChanged",
    "FixResult",
    "Judge",
    "NotWritten",
    "apply_fixes",
    "fix_to_fixpoint",
    "replace_content",
]
