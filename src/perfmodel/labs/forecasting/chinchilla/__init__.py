"""The lab "Chinchilla: how well is a scaling law known?"."""
