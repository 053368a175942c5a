"""Levels of confidence, for rules."""

from trainlint.confidence import doubted, level

__all__ = ["doubted", "level"]
