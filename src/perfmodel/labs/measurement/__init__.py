"""Labs of the topic measurement."""
