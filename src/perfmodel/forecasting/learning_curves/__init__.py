"""Learning curves of nets that others trained, as tables, and their loader."""
