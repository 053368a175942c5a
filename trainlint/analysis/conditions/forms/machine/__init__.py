"""Tests of the machine that a program runs on: its devices, its environment, the versions of libraries."""
