"""The lab "A larger model, or a longer thought? (Kinetics, 2025)"."""
