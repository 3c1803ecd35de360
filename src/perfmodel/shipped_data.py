"""Small tables that ship with the package, in the folder of the module that reads them.

Larger ones stay where their authors published them; see `perfmodel.data`.
"""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def shipped_table(package: str, name: str, **options: Any) -> pd.DataFrame:
    """Return the CSV file `name` in the folder of a package; `options` go to pandas' `read_csv`.

    >>> list(shipped_table("perfmodel.labs.scaling.hep_daq", "wall_time.csv").columns)
    ['pileup', 'bytes', 'wall_time', 'projected']
    """
    import pandas as pd

    with (resources.files(package) / name).open("rb") as file:
        return pd.read_csv(file, **options)
