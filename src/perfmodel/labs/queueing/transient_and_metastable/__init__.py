"""The lab "A service that stays down: transients and metastable failures"."""
