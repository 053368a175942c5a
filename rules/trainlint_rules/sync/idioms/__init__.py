"""Recognisers that only the rules about sync need."""
