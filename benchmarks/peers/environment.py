"""The environment in which SimPy runs, apart from the course's own."""

from __future__ import annotations

import subprocess
import venv
from pathlib import Path

HOME = Path(__file__).parents[2] / "_build" / "peers" / "simpy"


def simpy_python() -> Path | None:
    """Return the Python that has SimPy, its environment made if need be; None without one."""
    python = HOME / "bin" / "python"
    if not python.exists():
        venv.create(HOME, with_pip=True)
    install = [str(python), "-m", "pip", "install", "--quiet", "numpy", "simpy"]
    failed = subprocess.run(install, stderr=subprocess.DEVNULL).returncode
    return None if failed else python
