"""Recognisers that only the rules about measuring need."""
