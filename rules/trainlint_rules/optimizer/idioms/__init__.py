"""Recognisers that only the rules about optimizer need."""
