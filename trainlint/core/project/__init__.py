"""The files of a project in one process: modules and their names, classes and their bases, functions."""
