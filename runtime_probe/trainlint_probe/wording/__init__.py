"""Numbers and errors in words, for all that speaks to people."""
