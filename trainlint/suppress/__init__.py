"""Ignore comments: what they silence, and which of them silence nothing."""

from trainlint.suppress.apply import Suppression, suppress

__all__ = ["Suppression", "suppress"]
