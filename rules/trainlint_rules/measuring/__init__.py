"""Rules on the topic measuring: profilers that record too much, or the wrong things."""
