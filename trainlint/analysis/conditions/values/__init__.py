"""What tests say of values, and of the devices they are on."""
