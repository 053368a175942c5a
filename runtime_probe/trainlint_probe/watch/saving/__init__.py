"""What a script writes and reads back: kept from overwriting the user's files."""
