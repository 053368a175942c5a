"""Facts about code: one package for each kind of fact, and each fact computed in one place."""
