"""A message from one place to another: what it costs, and how measured times tell."""
