"""What makes the host wait for the device without a word of it: numbers that are asked for, and copies."""
