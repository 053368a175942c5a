"""Which files a run made, changed or removed."""
