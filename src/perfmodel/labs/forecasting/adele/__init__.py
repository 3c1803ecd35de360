"""The lab "Hard questions or a weak model?"."""
