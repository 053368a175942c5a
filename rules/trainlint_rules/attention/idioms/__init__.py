"""Recognisers that only the rules about attention need."""
