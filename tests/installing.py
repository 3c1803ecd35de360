"""The wheel, and an empty environment in which it is installed."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).parents[1]


def wheel(folder: Path) -> Path:
    """Build the wheel of this tree into a folder."""
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory"]
    subprocess.run([*build, str(folder)], cwd=PROJECT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


@dataclass(frozen=True)
class Environment:
    """A virtual environment that knows nothing of this tree."""

    folder: Path

    @classmethod
    def made(cls, folder: Path, python: str = sys.executable) -> "Environment":
        """Make an empty one for a Python."""
        subprocess.run([*UV, "venv", "--quiet", "--python", python, str(folder)], check=True)
        return cls(folder)

    def install(self, *what: str) -> None:
        """Install packages in the versions of the lock.

        Raises
        ------
        CalledProcessError
            If neither uv nor pip could get them.
        """
        lock = (PROJECT / "requirements.txt").read_text("utf-8")
        pins = self.folder / "pins.txt"
        pins.write_text("".join(f"{pin}\n" for pin in re.findall(r"^(\S+==.*?) \\$", lock, re.M)))
        there = ("--python", str(self.folder / "bin" / "python"), "--quiet")
        if subprocess.run([*UV, "pip", "install", *there, "-c", str(pins), *what]).returncode:
            pip = [sys.executable, "-m", "pip", *there, "install", "-c", str(pins), *what]
            subprocess.run(pip, check=True)

    def run(self, *command: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run one of its programs in a folder, and return what came of it."""
        kept = {name: os.environ[name] for name in ("HOME", "PATH") if name in os.environ}
        program = [str(self.folder / "bin" / command[0]), *command[1:]]
        return subprocess.run(
            program, cwd=cwd, env=kept | variables, capture_output=True, text=True, check=False
        )


UV = (str(Path(sys.executable).with_name("uv")),)
