"""Optimizers, their updates, and what becomes of gradients before them."""
