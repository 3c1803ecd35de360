"""The lab "MPIrigen: who matched whom"."""
