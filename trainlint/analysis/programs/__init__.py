"""What programs do: train, evaluate, wrap models, and what they use on the way."""
