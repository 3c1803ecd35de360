"""A package, since modules of other topics have the same names."""
