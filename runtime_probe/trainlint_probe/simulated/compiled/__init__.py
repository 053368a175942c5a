"""`torch.compile`: where its graphs break, found in copies of the process."""
