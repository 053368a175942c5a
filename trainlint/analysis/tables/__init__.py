"""Names of libraries and what is known of them, as data: each name in one table."""
