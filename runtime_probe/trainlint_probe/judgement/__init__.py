"""What evidence of a run proves: a verdict on each finding, and what only a run shows."""
