"""The lab "Amdahl's law on your machine"."""
