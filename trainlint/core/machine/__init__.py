"""The state of a run, and the ways by which its parts call one another."""
