"""A number of a thousand digits."""

print("unit 0 0:1")
print("cell 0 0", "9:" + "1234567890" * 100)
