"""The lab "What does a token cost on a phone?"."""
