"""The lab "What does it cost to throw data away?": a trigger as a graph of rates and energies."""
