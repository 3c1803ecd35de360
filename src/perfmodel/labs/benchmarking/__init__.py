"""Labs of the topic benchmarking."""
