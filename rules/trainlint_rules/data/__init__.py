"""Loading data and handing it to the device."""
