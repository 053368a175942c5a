"""The answer of `trainlint why`, as text and as JSON."""
