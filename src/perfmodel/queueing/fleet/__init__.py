"""Many servers: how many to buy, and which of them gets the next job."""
