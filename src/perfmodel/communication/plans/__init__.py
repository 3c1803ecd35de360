"""Plans of how many devices share the training of a transformer: their memory and their time."""
