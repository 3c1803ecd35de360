"""Whether each mistake that a bank names can be told from all others."""
