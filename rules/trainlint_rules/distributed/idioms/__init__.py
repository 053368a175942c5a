"""Recognisers that only the rules about distributed need."""
