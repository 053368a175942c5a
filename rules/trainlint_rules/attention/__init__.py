"""Rules on the topic attention."""
