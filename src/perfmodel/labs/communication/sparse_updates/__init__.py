"""The lab "What moves least?": sparse gradients by ring, gather and parameter server."""
