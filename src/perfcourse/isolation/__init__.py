"""The wall from outside: the sandbox, the limits of its processes, and the warm parent in it."""
