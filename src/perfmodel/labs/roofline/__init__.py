"""Labs of the topic roofline."""
