"""Baselines: the findings that a project has accepted, so that only new ones are reported."""
