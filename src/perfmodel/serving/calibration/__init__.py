"""Time per token of a served model: six numbers of a card and engine, fitted to public points."""
