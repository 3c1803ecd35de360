"""The lab "FuseMax: how often must attention read its keys?"."""
