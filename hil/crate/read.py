"""Read a crate: its files match its metadata and their SHA-256, and its bundles are valid."""

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
from hil.design.studies import Study
from hil.design.trials import Trial
from hil.system import scratch

_LONGEST = 1 << 28  # bytes of metadata: 600 bytes a file
_AGAIN = "download the crate again from its repository"


def _types(entity: dict[str, Any]) -> list[Any]:
    kind = entity.get("@type")
    return kind if isinstance(kind, list) else [kind]


def _folder(study: str, trial: str) -> str:
    return f"{layout.BUNDLES}{study}/{trial}"


class Crate:
    """A crate whose list of files agrees with its metadata. Reading a file checks its digest.

    Attributes:
        digests: SHA-256 of each file except the metadata, by its path within the crate.
        bundles: study -> trial -> names of the bundle's files.
    """

    def __init__(self, path: Path) -> None:
        """
        Raises:
            InputError: it is not a crate of bundles, or an unsafe one.
        """
        self.path = path
        self._members = members(path)
        self.digests = self._listed()
        self.bundles: dict[str, dict[str, list[str]]] = {}
        for member in sorted(self.digests):
            if found := layout.BUNDLE_FILE.fullmatch(member):
                study, trial, name = found.groups()
                self.bundles.setdefault(study, {}).setdefault(trial, []).append(name)
            elif member.startswith(layout.BUNDLES):
                self._refuse(member, "belongs to no bundle")
        if not self.bundles:
            self._refuse("", "has no bundles", "make one with 'thinwire crate make'")

    def _refuse(self, member: str, problem: str, remedy: str = _AGAIN) -> None:
        raise InputError(self.path, member, problem, remedy)

    def _graph(self) -> dict[str, dict[str, Any]]:
        """Return the entities of the metadata by their `@id`."""
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
        profiles = root if isinstance(root, list) else [root]
        if {"@id": layout.PROFILE} not in profiles:
            remedy = "give a crate that 'thinwire crate make' wrote"
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
        for member in sorted(present ^ set(digests)):
            missing = member in digests
            self._refuse(member, "is missing" if missing else f"is not in {layout.METADATA}")
        for member, digest in digests.items():
            if not isinstance(digest, str):
                self._refuse(member, f"has no sha256 in {layout.METADATA}")
        return {member: str(digest) for member, digest in digests.items()}

    def read(self, member: str) -> bytes:
        """Return a file's bytes.

        Raises:
            InputError: their SHA-256 differs from the metadata.
        """
        data = self._members.read(member)
        if bundle.digest(data) != self.digests[member]:
            self._refuse(member, "has changed (its SHA-256 differs)")
        return data

    def check_files(self) -> int:
        """Check every file; return their total size in bytes."""
        return sum(len(self.read(member)) for member in self.digests)

    def _document(self, study: str, trial: str) -> dict[str, Any]:
        """Return the bundle's trial.json; an empty object if it is no object."""
        member = f"{_folder(study, trial)}/trial.json"
        if member not in self.digests:
            self._refuse(member, "is missing")
        try:
            document = parse_json(self.read(member).decode())
        except (Malformed, UnicodeDecodeError) as error:
            raise InputError(self.path, member, f"is not JSON ({error})", _AGAIN) from error
        return document if isinstance(document, dict) else {}

    @property
    def seal(self) -> Path:
        """The file that changes with every change of the crate."""
        return self.path / layout.METADATA if self.path.is_dir() else self.path

    @property
    def testbed(self) -> str:
        """The testbed of the trials."""
        study = min(self.bundles)
        return str(self._document(study, min(self.bundles[study])).get("testbed"))

    def trials(self, study: Study, profile: str) -> list[Trial]:
        """Return the study's trials of a profile, each of which has a bundle here.

        Raises:
            InputError: a bundle is missing.
        """
        stored = self.bundles.get(study.name)
        if stored is None:
            has = ", ".join(sorted(self.bundles))
            self._refuse("", f"has no bundles of the study '{study.name}'", f"it has {has}")
        wanted = study.trials(profile, self.testbed)
        missing = [trial.id for trial in wanted if trial.id not in (stored or {})]
        if missing:
            self._refuse(
                _folder(study.name, missing[0]),
                f"is missing ({len(missing)} of {len(wanted)} bundles of the profile '{profile}')",
                "get the whole crate, or choose the profile that it was made from",
            )
        return wanted

    def _files(self, study: str, trial: str) -> dict[str, bytes]:
        folder = _folder(study, trial)
        return {name: self.read(f"{folder}/{name}") for name in self.bundles[study][trial]}

    def bundle(self, study: str, trial: str) -> verify.Summary:
        """Verify a bundle and summarize it.

        Raises:
            InputError: it is invalid.
        """
        folder, files = _folder(study, trial), self._files(study, trial)
        with scratch.folder() as aside:
            for name, data in files.items():
                (aside / name).write_bytes(data)
            try:
                summary = verify.check(aside)
            except ThinwireError as error:
                reason = str(error).replace(f"{aside}/", "").replace(str(aside), "it")
                raise InputError(self.path, folder, f"is invalid ({reason})", _AGAIN) from error
        document = self._document(study, trial)
        if (document["study"], document["trial"]) != (study, trial):
            self._refuse(folder, f"is the bundle of {document['study']}/{document['trial']}")
        return summary

    def check(self, trial: Trial) -> verify.Summary:
        """Verify a trial's bundle and summarize it.

        Raises:
            InputError: it is invalid, or of another design.
        """
        summary = self.bundle(trial.study, trial.id)
        document = self._document(trial.study, trial.id)
        mine = trial.document(document["firmware"], document["versions"])
        if mine != document:
            key = next(key for key in mine if mine[key] != document[key])
            made_by = document["versions"].get("thinwire", "which made it")
            self._refuse(
                f"{_folder(trial.study, trial.id)}/trial.json",
                f"its {key} differs from the study's design here",
                f"use the version of Thinwire that wrote it ({made_by})",
            )
        return summary

    def store(self, trial: Trial, into: Path) -> None:
        """Store a trial's checked bundle below the project's folder `into`."""
        bundle.store(self._files(trial.study, trial.id), into / _folder(trial.study, trial.id))


def configured(config: dict[str, Any]) -> Crate | None:
    """Open the crate that a configuration (config.schema.json) names; None for other testbeds.

    Raises:
        InputError: the configuration names no crate, or an invalid one.
    """
    if config["testbed"] != "crate":
        return None
    if not config.get("crate"):
        remedy = "name the crate: a folder, or a zip file"
        raise InputError("config.yaml", "crate", "is empty, and the testbed is 'crate'", remedy)
    return Crate(Path(config["crate"]))


def side_by_side(work: Any, items: list[Any]) -> Iterator[Any]:
    """Apply `work` to the items with one thread per processor; yield results in order.

    The first exception cancels the rest.
    """
    with ThreadPoolExecutor(cpu_count()) as pool:
        try:
            yield from pool.map(work, items)
        finally:
            pool.shutdown(cancel_futures=True)
