"""The real program, as other tests of the command line run it."""

from tests.cli.conftest import installed_toys, program, started, toys, write

__all__ = ["installed_toys", "program", "started", "toys", "write"]  # pytest finds fixtures by their names
