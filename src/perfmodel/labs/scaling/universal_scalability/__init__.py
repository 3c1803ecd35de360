"""The lab "The universal scalability law: when more makes it slower"."""
