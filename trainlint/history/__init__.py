"""What changed since a revision of git: asked for by `trainlint check --diff-base` alone, which alone runs git."""
