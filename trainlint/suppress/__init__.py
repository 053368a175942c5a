"""Ignore comments: what they silence, and which of them silence nothing."""

from trainlint.suppress.apply import Suppression, ignored_lines, silencing_lines, suppress

__all__ = ["Suppression", "ignored_lines", "silencing_lines", "suppress"]
