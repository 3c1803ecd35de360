"""The lab "Modern GPU cores: a simulator is a performance model"."""
