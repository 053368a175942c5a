"""Does the probe read traces as a plain reading of the same file does? See `__main__.py`."""
