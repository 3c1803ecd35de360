"""The lab "Which stage runs out first? (MPress, 2023)"."""
