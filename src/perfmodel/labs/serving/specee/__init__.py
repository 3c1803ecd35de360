"""The lab "When may a token leave early? (SpecEE, 2025)"."""
