"""Models that are wrapped for several devices."""
