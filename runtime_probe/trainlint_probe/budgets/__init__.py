"""Limits on what a training step may do: `trainlint probe --budget`, the context manager and the pytest plugin."""
