"""Ignore comments: what they silence, and which of them silence nothing."""

from trainlint.suppress.apply import Suppression, silencing_lines, suppress

__all__ = ["Suppression", "silencing_lines", "suppress"]
