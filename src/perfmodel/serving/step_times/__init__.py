"""Seconds of an iteration: from the machine's peaks, from a measured table, or learned."""
