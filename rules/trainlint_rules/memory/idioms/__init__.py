"""Recognisers that only the rules about memory need."""
