"""First-contact rounds: how often trainlint is right on repositories that nobody has run it on before."""
