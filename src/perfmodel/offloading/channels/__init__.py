"""A step on several channels: its time by sum, maximum, norm and schedule, and what overlaps."""
