"""trainlint's own rules, in a folder for each topic: one file, one rule. Adding one edits no list."""
