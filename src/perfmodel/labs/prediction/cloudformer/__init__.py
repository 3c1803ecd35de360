"""The lab "An application nobody has seen: CloudFormer"."""
