"""What `torch.cuda` is on a machine with GPUs: its answers, streams, events, graphs and types of tensors."""
