"""Guards that rules of several topics share, one module a subject. Those of one topic stand in its idioms."""
