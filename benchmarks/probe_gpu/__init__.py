"""Whether what the probe predicts on a GPU comes true when the defect is taken away."""
