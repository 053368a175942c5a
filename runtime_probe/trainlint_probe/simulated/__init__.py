"""A GPU that exists only in name: CPU tensors compute, and where each would lie on a real machine is bookkeeping."""
