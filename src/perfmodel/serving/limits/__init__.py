"""What can be known of a serving system without simulating it: one at a time, shared, and fluid."""
