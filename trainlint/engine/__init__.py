"""From the paths that the user named to a Report: which files, which rules, in how many processes."""
