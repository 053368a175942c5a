"""Warnings while a script runs: heard, and told at the lines that they are about."""
