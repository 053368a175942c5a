"""What a person at a terminal meets: questions about fixes, progress, watching."""
