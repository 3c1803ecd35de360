"""The lab "Two copies of one program: chance in speedups"."""
