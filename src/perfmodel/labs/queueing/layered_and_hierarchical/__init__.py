"""The lab "Layered services"."""
