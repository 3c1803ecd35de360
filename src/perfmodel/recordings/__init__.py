"""Recordings of real machines, by other people and by this project, each with its source."""

from perfmodel.recordings.quantities import (
    RECORDED,
    RecordedQuantity,
    Recording,
    recorded,
    value_of,
)

__all__ = ["RECORDED", "RecordedQuantity", "Recording", "recorded", "value_of"]
