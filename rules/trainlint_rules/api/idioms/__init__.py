"""Recognisers that only the rules about api need."""
