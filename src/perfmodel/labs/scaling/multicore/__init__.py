"""The lab "Hill and Marty: what to spend a chip's area on"."""
