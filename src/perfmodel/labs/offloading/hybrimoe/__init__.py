"""The lab "Fetch an expert or compute it? (HybriMoE, 2025)"."""
