"""The lab "Can it be? Auditing a claimed speed"."""
