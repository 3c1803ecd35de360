"""Labs of the topic queueing."""
