"""What six numbers of a card and engine know about the time per token, and what they don't."""
