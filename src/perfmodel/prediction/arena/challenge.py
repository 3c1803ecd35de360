"""A data set with all that a fair contest on it needs: who may enter, on what, in which rounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from perfmodel.prediction.arena.contest import Contestant
from perfmodel.prediction.arena.dataset import Dataset
from perfmodel.prediction.arena.model_families import family_contestants
from perfmodel.prediction.arena.splits import Split
from perfmodel.prediction.arena.standings import standings

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Challenge:
    """One data set of a contest between families."""

    dataset: Dataset
    rounds: Sequence[tuple[int, int, Split]]
    """Budget, seed and rows of each."""
    logged: Sequence[str]
    """Features above 0, which learners see as logarithms."""
    plain: Sequence[str] = ()
    """Features that they see as they are."""
    whiteboxes: Mapping[str, Any] = field(default_factory=dict)
    """Estimators by name, the one that is trusted most first."""
    written: str = ""
    """What the whiteboxes' authors had seen when they wrote them."""
    blind: bool = False
    """Whether the whiteboxes were settled before a row of it was recorded."""
    work: Callable[[pd.DataFrame], ArrayLike] | None = None
    """Amount of work above 0 of each row, shape (n,), which learners may divide the target by."""
    unit: str | None = None
    """The group that varies, by which intervals are drawn; rows if none."""
    more: Sequence[Contestant] = ()
    """Entries that this data set alone allows, such as a learner of other devices' past."""

    def entries(self) -> list[Contestant]:
        """Return everybody who enters: the families' usual entries, and `more`."""
        return [
            *family_contestants(self.whiteboxes, self.logged, self.plain, self.work),
            *self.more,
        ]

    def standings(self, progress: bool = False) -> pd.DataFrame:
        """Return who stands where, as `standings` of the arena does; `progress` shows a bar."""
        return standings(self.dataset, self.entries(), self.rounds, self.unit, progress)
