"""Notebooks for the tests, built from lists of cells."""

import json


def notebook(*cells, **parts):
    """Return the bytes of a notebook with these code cells."""
    made = [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": f"c{place}",
            "metadata": {},
            "outputs": [],
            "source": source,
        }
        for place, source in enumerate(cells)
    ]
    whole = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **parts}
    return json.dumps(whole).encode()
