"""The lab "Collectives: ring or tree?"."""
