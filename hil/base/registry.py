"""Classes by name, loaded when first used, so that a trial loads only its own server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Generic, TypeVar

Name = TypeVar("Name")
Kind = TypeVar("Kind")


class Registry(Mapping[Name, type[Kind]], Generic[Name, Kind]):
    """A table whose entries are written as `module:Class`, the module below `package`."""

    def __init__(self, package: str, entries: Mapping[Name, str]) -> None:
        self._package, self._entries = package, dict(entries)

    def __getitem__(self, name: Name) -> type[Kind]:
        kind = self._entries[name].partition(":")[2]
        found: type[Kind] = getattr(import_module(self.module(name)), kind)
        return found

    def __iter__(self) -> Iterator[Name]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def module(self, name: Name) -> str:
        """Return the module of an entry without loading it."""
        return f"{self._package}.{self._entries[name].partition(':')[0]}"

    def modules(self) -> tuple[str, ...]:
        """Return the modules of all entries, sorted, which a copy of the table needs."""
        return tuple(sorted({self.module(name) for name in self}))

    def load(self) -> None:
        """Load all entries."""
        for name in self:
            self[name]
