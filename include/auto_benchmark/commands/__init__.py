"""The command line. A module is found by being here; heavy libraries are imported inside the commands.

A module brings a group of its own name as ``app``, or ``COMMANDS``: name -> a function, or a group.
"""
