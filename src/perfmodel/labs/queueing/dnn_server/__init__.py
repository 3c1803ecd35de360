"""The lab "An image server: a faster network is not all you need"."""
