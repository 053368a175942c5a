"""What rules declare and answer: bases by what they look at, guards, and the engine's part in a finding.

`bases` has the classes that rules derive from, `guards` the reasons for silence that several topics share.
"""
