"""The lab "Which way to split a model over eight GPUs? (APEX)"."""
