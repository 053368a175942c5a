"""What a run of a training showed: measurements, what a simulated GPU counted, verdicts, and their JSON."""
