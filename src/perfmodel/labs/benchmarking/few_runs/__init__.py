"""The lab "Few runs of a system with many settings"."""
