"""The lab "ScaleRL: a ceiling or a speed?"."""
