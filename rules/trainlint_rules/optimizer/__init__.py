"""Rules on the topic optimizer."""
