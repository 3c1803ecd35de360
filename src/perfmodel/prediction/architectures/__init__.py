"""Networks as things to predict: search spaces, descriptions and measured latencies."""
