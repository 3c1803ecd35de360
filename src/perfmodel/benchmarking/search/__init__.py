"""Search among many configurations with few runs: at random, by mutation, or by a model."""
