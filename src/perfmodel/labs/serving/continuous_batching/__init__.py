"""The lab "How large a batch before the slowest wait too long?"."""
