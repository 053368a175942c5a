"""A GPU that exists only in name: CPU tensors compute, and where each would lie on a machine with a GPU is bookkeeping."""
