"""Grade what one student hands in, as a step of continuous integration."""
