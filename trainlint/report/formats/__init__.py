"""The formats of `trainlint check --output-format`, a module each. Each has a function `render`."""
