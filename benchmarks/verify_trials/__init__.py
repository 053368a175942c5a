"""Whether `trainlint probe --verify` is right, by real runs of versions whose difference is known."""
