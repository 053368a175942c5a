"""Which host memory batches are copied from, and what a step gains by pinned memory."""
