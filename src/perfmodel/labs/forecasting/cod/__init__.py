"""The lab "COD: many curves in one average"."""
