"""Time per token of a served model: seven numbers of a card and engine, fitted to public points."""
