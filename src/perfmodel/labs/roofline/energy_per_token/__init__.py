"""The lab "How many joules does a token cost?"."""
