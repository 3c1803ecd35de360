"""The lab "An edge cluster: may one more application come in?"."""
