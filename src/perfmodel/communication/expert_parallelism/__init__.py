"""Expert parallelism: copies of a token, two tiers of links, uneven loads, placement of experts."""
