"""Rules about names of PyTorch that were removed, renamed or deprecated."""
