"""What is looked at in a few steps after the window, whose times are never quoted."""
