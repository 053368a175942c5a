"""Recognisers that only the rules about data need."""
