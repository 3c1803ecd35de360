"""The lab "hls4ml: what does a layer cost in hardware?"."""
