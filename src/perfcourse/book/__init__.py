"""Build the book: run its notebooks, lay out its pages, write its HTML."""
