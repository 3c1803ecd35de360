"""Time per token of a served model: five numbers of a card and engine, fitted to public points."""
