"""The lab "Who gets how much of a link?"."""
