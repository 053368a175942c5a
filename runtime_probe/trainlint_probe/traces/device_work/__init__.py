"""What a device does, by the kernels of a trace: arithmetic and communication."""
