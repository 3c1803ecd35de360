"""Labs of the topic scaling."""
