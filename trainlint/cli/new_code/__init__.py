"""Judging only what is new: against a baseline, and against a revision of git."""
