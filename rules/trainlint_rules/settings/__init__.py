"""Rules about settings of frameworks and launchers, in code and in files of their own."""
