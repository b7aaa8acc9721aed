"""Classes by name, each loaded when it is first asked for: a trial pays for its own server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Generic, TypeVar

Name = TypeVar("Name")
Kind = TypeVar("Kind")


class Registry(Mapping[Name, type[Kind]], Generic[Name, Kind]):
    """A table whose entries are written as `module:Class`, the module below `package`."""

    def __init__(self, package: str, places: Mapping[Name, str]) -> None:
        self._package, self._places = package, dict(places)

    def __getitem__(self, name: Name) -> type[Kind]:
        kind = self._places[name].partition(":")[2]
        found: type[Kind] = getattr(import_module(self.module(name)), kind)
        return found

    def __iter__(self) -> Iterator[Name]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def module(self, name: Name) -> str:
        """The module of an entry; it is not loaded."""
        return f"{self._package}.{self._places[name].partition(':')[0]}"

    def modules(self) -> tuple[str, ...]:
        """The modules of all entries, sorted: what a copy of the table needs beside it."""
        return tuple(sorted({self.module(name) for name in self}))

    def load(self) -> None:
        """Load all entries now."""
        for name in self:
            self[name]
