"""Labs of the topic serving."""
