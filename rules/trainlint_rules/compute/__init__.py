"""Rules about what the device computes, and in which precision and mode."""
