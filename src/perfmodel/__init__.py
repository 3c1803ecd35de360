"""Performance models of computer systems: plain functions over arrays, in SI units."""

TOPICS = (
    "measurement",
    "scaling",
    "roofline",
    "queueing",
    "communication",
    "offloading",
    "serving",
    "prediction",
    "forecasting",
    "benchmarking",
)
"""In the order of teaching; a topic imports only those before it."""
