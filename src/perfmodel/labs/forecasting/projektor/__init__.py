"""The lab "Which mixture of data will be best at full size?"."""
