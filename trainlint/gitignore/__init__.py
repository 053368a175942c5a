"""Which paths git's ignore files leave out, without running git. Path patterns, ignore files, git's configuration."""
