"""The line that shows how far a run is, at a terminal."""
