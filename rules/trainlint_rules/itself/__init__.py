"""trainlint itself: files that it cannot read, and comments to it."""
