"""What `perfmodel llm` and `perfmodel model` are made of."""
