"""From verdicts to grades: lateness, points by hand, what changed, and code that is alike."""
