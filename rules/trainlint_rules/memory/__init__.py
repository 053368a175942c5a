"""Rules about device memory."""
