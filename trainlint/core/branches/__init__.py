"""The one reader of tests: what an `if` says of how often each of its branches runs."""
