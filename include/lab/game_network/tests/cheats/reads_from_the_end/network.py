"""The unit before, without saying so."""

print("unit -1 -1:1 -2:1")
print("cell 0 0 9:1")
