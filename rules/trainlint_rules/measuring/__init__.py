"""Rules on the topic measuring: numbers that mean what they say."""
