"""Uses of deprecated names."""
