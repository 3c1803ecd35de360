"""Networks of stations: their description, and what solves them."""
