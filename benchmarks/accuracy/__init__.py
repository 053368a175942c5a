"""How often trainlint is right on real training code: recall, look-alikes hit and strict precision."""
