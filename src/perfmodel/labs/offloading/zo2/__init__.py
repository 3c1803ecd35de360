"""The lab "Can a slow link be hidden? (ZO2, 2025)"."""
