"""Tasks on stages played through by events, and the schedules of pipelined training among them."""
