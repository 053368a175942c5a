"""What tests mean: the only reader of guards."""
