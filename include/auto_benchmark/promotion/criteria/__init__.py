"""The mission's five criteria, one file and one function each."""
