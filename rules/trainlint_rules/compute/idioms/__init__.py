"""Recognisers that only the rules about compute need."""
