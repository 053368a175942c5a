"""Tries fixes: the user's training runs with and without them, and is compared in speed and in what it computes."""
