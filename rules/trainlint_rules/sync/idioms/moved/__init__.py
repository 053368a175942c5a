"""Tensors that are made on the host and moved to the device: at once, or where other code made them."""
