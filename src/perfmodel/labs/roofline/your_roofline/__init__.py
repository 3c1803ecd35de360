"""The lab "Your roofline": one core's measured roof, and loops that are compared with it."""
