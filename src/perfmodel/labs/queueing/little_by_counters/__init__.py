"""The lab "Little's law by counters: the response time that nobody timed"."""
