"""How often code runs, in units of training."""
