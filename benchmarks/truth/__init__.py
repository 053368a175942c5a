"""The truth by running it: which lines of libraries wait or copy in each step, and which of them trainlint names."""
