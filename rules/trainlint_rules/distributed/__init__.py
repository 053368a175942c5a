"""Rules about training on several processes."""
