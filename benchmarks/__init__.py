"""What trainlint is measured by. Not part of the installed package."""
