"""What a change does to a training: the script runs before and after it, and is compared in costs and in results."""
