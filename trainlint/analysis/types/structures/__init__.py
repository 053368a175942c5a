"""Values that hold other values: containers, nested structures, and objects of the file's own classes."""
