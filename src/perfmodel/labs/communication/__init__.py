"""Labs of the topic communication."""
