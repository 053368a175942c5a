"""Collectives: what stands around them, and what they send."""
