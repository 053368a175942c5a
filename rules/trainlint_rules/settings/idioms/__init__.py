"""Recognisers that only the rules about settings need."""
