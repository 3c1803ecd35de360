"""Laws of service times, of times between arrivals and of job sizes."""
