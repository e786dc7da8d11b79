"""For eval()."""

print("__import__('os').system('true') 15")
