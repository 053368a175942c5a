"""Runs a user's own training for a few steps and says what it was seen to do. The only room that imports PyTorch."""
