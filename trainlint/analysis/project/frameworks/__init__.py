"""What frameworks do with a project's code where no call in sight shows it: build, fill and run its models."""
