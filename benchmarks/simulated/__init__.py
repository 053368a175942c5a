"""Training scripts with planned counts of waits and copies: what the simulated GPU, and a real one, are held to."""
