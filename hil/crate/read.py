"""A crate, read: its files are those that its metadata names, each has its SHA-256, and its bundles
hold as stored ones do."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from pathlib import Path
from typing import Any

from hil.base.documents import Malformed, parse_json
from hil.base.errors import InputError, ThinwireError
from hil.bundle import store as bundle
from hil.bundle import verify
from hil.crate import layout
from hil.crate.members import members
from hil.design.studies import Study, Trial
from hil.system import scratch

_LONGEST = 1 << 28  # bytes of metadata: 600 bytes a file
_AGAIN = "get the crate again from where it is kept"


def _types(entity: dict[str, Any]) -> list[Any]:
    kind = entity.get("@type")
    return kind if isinstance(kind, list) else [kind]


def _place(study: str, trial: str) -> str:
    return f"{layout.BUNDLES}{study}/{trial}"


class Crate:
    """A crate whose list of files agrees with its metadata; a file's digest is checked when it is
    read.

    Attributes:
        digests: SHA-256 of each file but the metadata, by its place.
        bundles: study -> trial -> names of the bundle's files.
    """

    def __init__(self, path: Path) -> None:
        """
        Raises:
            InputError: it is no crate of bundles, or a hostile one.
        """
        self.path = path
        self._members = members(path)
        self.digests = self._listed()
        self.bundles: dict[str, dict[str, list[str]]] = {}
        for place in sorted(self.digests):
            if found := layout.BUNDLE_FILE.fullmatch(place):
                study, trial, name = found.groups()
                self.bundles.setdefault(study, {}).setdefault(trial, []).append(name)
            elif place.startswith(layout.BUNDLES):
                self._refuse(place, "belongs to no bundle")
        if not self.bundles:
            self._refuse("", "has no bundles", "make one with 'thinwire crate make'")

    def _refuse(self, place: str, problem: str, remedy: str = _AGAIN) -> None:
        raise InputError(self.path, place, problem, remedy)

    def _graph(self) -> dict[str, dict[str, Any]]:
        """The entities of the metadata by their names."""
        try:
            text = self._members.read(layout.METADATA).decode()
            document = parse_json(text, _LONGEST)
        except (Malformed, UnicodeDecodeError) as error:
            raise InputError(
                self.path, layout.METADATA, f"is not JSON ({error})", _AGAIN
            ) from error
        graph = document.get("@graph") if isinstance(document, dict) else None
        if not isinstance(graph, list):
            self._refuse(layout.METADATA, "has no @graph")
        entities = {
            entity["@id"]: entity
            for entity in graph or []
            if isinstance(entity, dict) and isinstance(entity.get("@id"), str)
        }
        root = entities.get("./", {}).get("conformsTo")
        told = root if isinstance(root, list) else [root]
        if {"@id": layout.PROFILE} not in told:
            remedy = "give a crate that 'thinwire crate make' has made"
            self._refuse(layout.METADATA, f"does not conform to {layout.PROFILE}", remedy)
        return entities

    def _listed(self) -> dict[str, str]:
        """The digests in the metadata, of exactly the files that are there."""
        digests = {
            name: entity.get("sha256")
            for name, entity in self._graph().items()
            if "File" in _types(entity)
        }
        present = set(self._members.sizes) - {layout.METADATA}
        for place in sorted(present ^ set(digests)):
            missing = place in digests
            self._refuse(place, "is missing" if missing else f"is not in {layout.METADATA}")
        for place, digest in digests.items():
            if not isinstance(digest, str):
                self._refuse(place, f"has no sha256 in {layout.METADATA}")
        return {place: str(digest) for place, digest in digests.items()}

    def read(self, place: str) -> bytes:
        """A file's bytes, checked; InputError if they are not those of the metadata."""
        data = self._members.read(place)
        if bundle.digest(data) != self.digests[place]:
            self._refuse(place, "has changed (its SHA-256 differs)")
        return data

    def check_files(self) -> int:
        """Check every file; how many bytes they have."""
        return sum(len(self.read(place)) for place in self.digests)

    def _document(self, study: str, trial: str) -> dict[str, Any]:
        """The bundle's trial.json, as far as it was read: an object."""
        place = f"{_place(study, trial)}/trial.json"
        if place not in self.digests:
            self._refuse(place, "is missing")
        try:
            document = parse_json(self.read(place).decode())
        except (Malformed, UnicodeDecodeError) as error:
            raise InputError(self.path, place, f"is not JSON ({error})", _AGAIN) from error
        return document if isinstance(document, dict) else {}

    @property
    def seal(self) -> Path:
        """The file that changes when anything in the crate does."""
        return self.path / layout.METADATA if self.path.is_dir() else self.path

    @property
    def testbed(self) -> str:
        """Where the trials ran."""
        study = min(self.bundles)
        return str(self._document(study, min(self.bundles[study])).get("testbed"))

    def trials(self, study: Study, profile: str) -> list[Trial]:
        """The study's trials of a profile, each of which has its bundle here.

        Raises:
            InputError: the crate lacks some.
        """
        stored = self.bundles.get(study.name)
        if stored is None:
            has = ", ".join(sorted(self.bundles))
            self._refuse("", f"has no bundles of the study '{study.name}'", f"it has {has}")
        wanted = study.trials(profile, self.testbed)
        missing = [trial.id for trial in wanted if trial.id not in (stored or {})]
        if missing:
            self._refuse(
                _place(study.name, missing[0]),
                f"is missing ({len(missing)} of {len(wanted)} bundles of the profile '{profile}')",
                "get the whole crate, or choose the profile that it was made from",
            )
        return wanted

    def _files(self, study: str, trial: str) -> dict[str, bytes]:
        place = _place(study, trial)
        return {name: self.read(f"{place}/{name}") for name in self.bundles[study][trial]}

    def bundle(self, study: str, trial: str) -> verify.Summary:
        """What a bundle contains.

        Raises:
            InputError: it does not hold.
        """
        place, files = _place(study, trial), self._files(study, trial)
        with scratch.folder() as aside:
            for name, data in files.items():
                (aside / name).write_bytes(data)
            try:
                summary = verify.check(aside)
            except ThinwireError as error:
                said = str(error).replace(f"{aside}/", "").replace(str(aside), "it")
                raise InputError(self.path, place, f"does not hold ({said})", _AGAIN) from error
        document = self._document(study, trial)
        if (document["study"], document["trial"]) != (study, trial):
            self._refuse(place, f"is the bundle of {document['study']}/{document['trial']}")
        return summary

    def check(self, trial: Trial) -> verify.Summary:
        """What a trial's bundle contains.

        Raises:
            InputError: it does not hold, or is another design's.
        """
        summary = self.bundle(trial.study, trial.id)
        document = self._document(trial.study, trial.id)
        mine = trial.document(document["firmware"], document["versions"])
        if mine != document:
            key = next(key for key in mine if mine[key] != document[key])
            made_by = document["versions"].get("thinwire", "which made it")
            self._refuse(
                f"{_place(trial.study, trial.id)}/trial.json",
                f"its {key} are not those of the study's design here",
                f"use the version of Thinwire that made it ({made_by})",
            )
        return summary

    def store(self, trial: Trial, into: Path) -> None:
        """Store a trial's bundle, which has been checked, below the project's folder `into`."""
        bundle.store(self._files(trial.study, trial.id), into / _place(trial.study, trial.id))


def configured(config: dict[str, Any]) -> Crate | None:
    """The crate that a configuration (config.schema.json) takes its trials from, if any.

    Raises:
        InputError: it names none, or a bad one.
    """
    if config["testbed"] != "crate":
        return None
    if not config.get("crate"):
        remedy = "name the crate: a folder, or a zip file"
        raise InputError("config.yaml", "crate", "is empty, and the testbed is 'crate'", remedy)
    return Crate(Path(config["crate"]))


def side_by_side(work: Any, items: list[Any]) -> Iterator[Any]:
    """What `work` makes of each item, in their order; as many at a time as there are processors.

    The first that fails ends it.
    """
    with ThreadPoolExecutor(cpu_count()) as pool:
        try:
            yield from pool.map(work, items)
        finally:
            pool.shutdown(cancel_futures=True)
