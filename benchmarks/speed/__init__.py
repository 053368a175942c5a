"""How fast trainlint is, beside other linters and beside the least that any of them must do."""
