"""The semantic index of one file: scopes, bindings, blocks, calls, reaching definitions."""
