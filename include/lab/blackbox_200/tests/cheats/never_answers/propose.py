"""An endless loop."""

while True:
    pass
