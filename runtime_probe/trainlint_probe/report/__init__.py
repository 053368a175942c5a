"""What the probe shows: one module a format, a Result in, text out."""
