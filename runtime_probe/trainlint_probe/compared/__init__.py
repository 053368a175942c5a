"""What a run is given and leaves behind where it is compared with another: edited files, a seed, what it computes."""
