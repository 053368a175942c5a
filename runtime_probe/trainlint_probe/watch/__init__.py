"""What is put in place inside the user's process to see a training: hooks, and guarded wrappers at few calls."""
