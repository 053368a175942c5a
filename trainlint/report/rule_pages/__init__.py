"""What trainlint says of its rules: the page of one, and the table of all."""
