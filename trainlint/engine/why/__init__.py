"""What `trainlint why` answers: the facts of a line, and why each rule reported or stayed silent there."""
