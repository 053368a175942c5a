"""What is kept from one run to the next, so that a run does only what has changed. docs/cache.md tells the whole way.

Nothing here knows what is kept: results go in and come out by keys that name everything they depend on. Whatever is
wrong with a cache, a run goes on without it.
"""
