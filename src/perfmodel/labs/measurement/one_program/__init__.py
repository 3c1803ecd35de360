"""The lab "One program, six questions": a text index and its service, from timing to forecast."""
