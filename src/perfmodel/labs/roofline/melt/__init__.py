"""The lab "What does a token cost on a phone?": battery, power trace, quantized files, accuracy."""
