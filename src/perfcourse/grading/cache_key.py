"""What decides a grade besides the submission: where one of these changes, all is graded again.

The question bank, the modules of the course that it imports and those that they import, tables that
lie beside them, the libraries' versions, the secret, the limits, the version of this package and
that of Python. What only one submission imports is kept with that one: see `libraries`.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib
import json
import platform
import re
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from perfcourse.isolation.libraries import AGENT, version

_FILE = re.compile(r"[\w./-]{1,100}\.\w{1,8}")
_OURS = {__name__.partition(".")[0], "perfmodel"}
_LIBRARIES = tuple(sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib"))


def fingerprint(bank: Path, secret: str, *limits: object) -> str:
    """Return a digest of all that decides a grade besides the submission.

    The `bank` has been loaded, and with it what it imports; `limits` are limits and switches of the
    run, as anything whose `repr` says all.
    """
    python = platform.python_implementation(), platform.python_version()
    made_with = [version(name) for name in ("perfmodel", *AGENT)]
    parts = [made_with, python, secret, repr(limits), sources(bank)]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def sources(bank: Path) -> dict[str, str]:
    """Return what a bank is made of: digests of files by name, and versions of libraries.

    >>> made_of = sources(Path(json.__file__))
    >>> sorted(made_of)[:1], len(made_of["__init__.py"])
    (['__init__.py'], 64)
    """
    digests: dict[str, str] = {}
    waiting: list[tuple[str, Path]] = [("", bank)]
    while waiting:
        name, path = waiting.pop()
        if (name or path.name) in digests:
            continue
        data = path.read_bytes()
        digests[name or path.name] = hashlib.sha256(data).hexdigest()
        tree = ast.parse(data)
        digests |= _tables(tree, path)
        modules = ((module, _own_source(module)) for module in _modules(tree, name, path))
        waiting.extend((module, source) for module, source in modules if source)
        digests |= _versions(tree)
    return digests


def _own_source(module: str) -> Path | None:
    """Return the file of a module that is neither Python's own nor a library's."""
    top = module.partition(".")[0]
    home = getattr(sys.modules.get(top), "__file__", None)
    if top in sys.stdlib_module_names or not home:
        return None
    if home.startswith(_LIBRARIES) and top not in _OURS:
        return None
    try:
        path = importlib.import_module(module).__file__ or ""
    except ImportError:
        return None
    return Path(path) if path.endswith(".py") else None


def _versions(tree: ast.Module) -> dict[str, str]:
    """Return the versions of the libraries that a module has loaded when it was loaded."""
    names = [
        alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names
    ]
    names += [node.module or "" for node in tree.body if isinstance(node, ast.ImportFrom)]
    tops = {name.partition(".")[0] for name in names} - sys.stdlib_module_names
    loaded = {name: sys.modules.get(name) for name in tops}
    versions = {name: getattr(module, "__version__", None) for name, module in loaded.items()}
    return {name: str(version) for name, version in versions.items() if version}


def _tables(tree: ast.AST, path: Path) -> dict[str, str]:
    """Return digests of the files that a module's text names and that lie beside it."""
    names = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    files = {name: path.parent / name for name in names if _FILE.fullmatch(name)}
    return {
        f"{path.parent}/{name}": hashlib.sha256(file.read_bytes()).hexdigest()
        for name, file in files.items()
        if file.is_file() and file.suffix != ".py"
    }


def _modules(tree: ast.AST, name: str, path: Path) -> Iterator[str]:
    """Return the modules that a module's text imports, and those where the names come from."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    called: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _upwards(alias.name)
                if alias.asname or "." not in alias.name:
                    called[alias.asname or alias.name] = alias.name
        elif isinstance(node, ast.ImportFrom):
            above = ".".join(package.split(".")[: len(package.split(".")) + 1 - node.level])
            module = ".".join(filter(None, (above if node.level else "", node.module)))
            yield from _upwards(module)
            for alias in node.names:
                yield from _homes(module, alias.name)
                called[alias.asname or alias.name] = f"{module}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield from _homes(called.get(node.value.id, ""), node.attr)


def _upwards(module: str) -> Iterator[str]:
    words = module.split(".")
    return (".".join(words[: length + 1]) for length in range(len(words)))


def _homes(module: str, name: str) -> Iterator[str]:
    """Return the modules where a name that a module offers may come from."""
    source = _own_source(module)
    if source is None:
        return
    yield f"{module}.{name}"
    home = getattr(getattr(sys.modules[module], name, None), "__module__", None)
    if isinstance(home, str):
        yield home
    yield from _listed(source.with_suffix(".pyi")).get(name, ())


@functools.lru_cache(maxsize=256)
def _listed(stub: Path) -> dict[str, list[str]]:
    """Return where a package that loads its names when they are used has each of them."""
    if not stub.is_file():
        return {}
    modules: dict[str, list[str]] = {}
    package = ".".join(stub.parent.relative_to(_root(stub.parent)).parts)
    for node in ast.parse(stub.read_bytes()).body:
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            for alias in node.names:
                modules.setdefault(alias.asname or alias.name, []).append(
                    f"{package}.{node.module}"
                )
    return modules


def _root(folder: Path) -> Path:
    """Return the folder that holds the outermost package around a folder."""
    while (folder / "__init__.py").is_file():
        folder = folder.parent
    return folder
