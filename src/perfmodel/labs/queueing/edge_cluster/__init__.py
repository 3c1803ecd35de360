"""The lab "An edge cluster: can one more application come in?"."""
