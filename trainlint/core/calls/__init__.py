"""What calls do: of the project's functions, of libraries' functions, of methods by the kind of their object."""
