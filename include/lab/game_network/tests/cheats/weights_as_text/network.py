"""For eval()."""

print("cell 0 0 *:[(i,1)for(i)in(range(9))]")
