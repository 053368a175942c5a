"""Runs tasks about files, in this process or in several worker processes that live as long as a run."""
