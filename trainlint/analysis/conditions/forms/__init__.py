"""The forms of guards: one module for each."""
