"""What is known of a file: what runs how often, on what, and under which context. Facts live here, once."""
