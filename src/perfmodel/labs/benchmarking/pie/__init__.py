"""The lab "Two copies of one program: chance in speed-ups"."""
