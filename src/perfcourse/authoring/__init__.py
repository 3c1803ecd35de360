"""Help for whoever writes an assignment."""
