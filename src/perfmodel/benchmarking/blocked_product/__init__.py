"""A blocked matrix product of 729 settings: a small real system to tune, and its recorded times."""
