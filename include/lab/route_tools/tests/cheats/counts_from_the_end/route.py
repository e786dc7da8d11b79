"""The last one."""

for _ in range(2_000):
    print(-1)
