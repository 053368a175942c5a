"""The project index: which files belong together, what is known of each, and what they tell each other.

`project_index.build_index` is the entrance; a run asks the `ProjectIndex` that it returns.
"""
