"""Labs of the topic offloading."""
