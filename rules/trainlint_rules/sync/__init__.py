"""Rules about keeping the CPU ahead of the GPU."""
