"""One ranked list of what to do, from findings, what a run measured of them, and a plan."""
