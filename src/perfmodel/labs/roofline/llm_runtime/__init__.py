"""The lab "What makes training slow, or too large?": runs by others, and what counting explains."""
