"""The lab "How many SSDs does training need? (Fuyou, 2024)"."""
