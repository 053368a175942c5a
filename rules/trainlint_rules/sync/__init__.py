"""Rules about keeping the host ahead of the device."""
