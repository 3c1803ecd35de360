"""The lab "EfficientLLM: a name, a unit and a scale"."""
