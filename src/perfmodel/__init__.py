"""Performance models of computer systems: plain functions over arrays, in SI units."""
