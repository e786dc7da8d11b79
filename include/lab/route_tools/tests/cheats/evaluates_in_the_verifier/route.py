"""For eval()."""

for _ in range(2_000):
    print("max(range(8), key=lambda at: tools[at].utility(kind, x))")
