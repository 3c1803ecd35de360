"""Labs of the topic prediction."""
