"""Links that flows share: topologies and routes, fair rates, flows in time, congestion control."""
