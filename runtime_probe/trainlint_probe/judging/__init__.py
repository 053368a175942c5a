"""`trainlint judge`: claims from elsewhere, answered one by one from the code and from a run."""
