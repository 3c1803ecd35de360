"""The lab "SWE-fficiency: 498 ratios, one number"."""
