"""Rules that other linters have, written as patterns of `libcst.matchers`."""
