"""The lab "Which core dies first?"."""
