"""Closed networks whose stations have little room, so that jobs hold up those behind them."""
