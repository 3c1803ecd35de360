"""The lab "Your roofline: what can this machine do for your loop?"."""
