"""The lab "How much memory does a full GPU need? (MoE-Lens, 2025)"."""
