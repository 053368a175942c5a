"""What `trainlint why` answers: the facts of a line, and why each rule reports something there or is silent."""
