"""`trainlint plan`: what was typed, the model on the meta device, and what is printed."""
