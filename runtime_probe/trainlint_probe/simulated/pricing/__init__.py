"""What a step and each of its waits would cost on a named GPU."""
