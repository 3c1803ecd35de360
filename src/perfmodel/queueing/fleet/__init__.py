"""Many servers: how many, and who gets the next job."""
