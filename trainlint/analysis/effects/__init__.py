"""What code does when it runs: waits, copies, creates, reduces."""
