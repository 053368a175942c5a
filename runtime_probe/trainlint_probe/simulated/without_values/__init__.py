"""A simulated GPU that computes nothing: shapes and types are followed, reads give neutral numbers."""
