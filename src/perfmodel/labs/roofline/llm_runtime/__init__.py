"""The lab "What makes training slow, or too large?"."""
