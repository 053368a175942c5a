"""What libraries do, as data: names of functions, methods and classes with what they mean for the run."""
