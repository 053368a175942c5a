"""Batches in pinned memory: what can be pinned, and who has decided about it."""
