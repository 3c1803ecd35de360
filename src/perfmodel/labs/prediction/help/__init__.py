"""The lab "HELP: ten measurements on a device you have never seen"."""
