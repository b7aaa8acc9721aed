"""Write a crate: valid bundles and the files that produced them, with RO-Crate metadata."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from hil.base.documents import read_json
from hil.base.paths import ROOT
from hil.bundle import store as bundle
from hil.crate import layout, texts
from hil.crate.citation import Citation
from hil.design.studies import Study
from hil.design.trials import Trial

_BIOSCHEMAS = "https://bioschemas.org/profiles"


@dataclass(frozen=True)
class Source:
    """The content of a crate.

    Attributes:
        studies: each study with its trials of the profile.
        raw: the root of the bundles, all of them valid (`hil.bundle.verify`).
        sizes: the table of flash and RAM; None if it was not measured.
        config: the workflow's configuration for these studies.
    """

    studies: dict[str, tuple[Study, list[Trial]]]
    profile: str
    raw: Path
    sizes: Path | None
    config: dict[str, Any]


@dataclass(frozen=True)
class About:
    """Title, citation and day of publication of a crate."""

    title: str
    citation: Citation
    day: date


class _Writer:
    """Adds the entities of a crate in an order that depends on the source only."""

    def __init__(self, source: Source, about: About) -> None:
        self._source, self._citation = source, about.citation
        self._crate = ROCrate(version=layout.RO_CRATE)
        # not in the context of RO-Crate 1.1
        self._crate.metadata.extra_terms["sha256"] = "http://schema.org/sha256"
        self._title, self._day = about.title, about.day
        self._versions: Counter[tuple[str, str]] = Counter()

    def write(self, folder: Path, aside: Path) -> None:
        workflow = self._workflow()
        written = {
            layout.CONFIG: json.dumps(self._source.config, indent=1, sort_keys=True) + "\n",
            layout.README: texts.README.format(
                title=self._title,
                count=sum(len(trials) for _, trials in self._source.studies.values()),
                license=self._citation.license,
                version=self._citation.version,
                profile=self._source.profile,
                studies=",".join(self._source.studies),
            ),
        }
        for name, text in written.items():
            (aside / name).write_text(text, encoding="utf-8")
        config = self._file(aside / layout.CONFIG, layout.CONFIG, "configuration of the workflow")
        readme = self._file(aside / layout.README, layout.README, "description and instructions")
        readme["about"] = self._crate.root_dataset
        for name in layout.TEXTS:
            self._file(ROOT / name, name)
        results = []
        if self._source.sizes:
            what = "flash and RAM of each engine's firmware"
            results.append(self._file(self._source.sizes, layout.SIZES, what))
        actions = [
            self._study(study, trials, workflow, config)
            for study, trials in self._source.studies.values()
        ]
        if results:
            actions[0].append_to("result", results)
        self._parameters(workflow, config)
        self._root(actions)
        self._software(workflow)
        self._crate.write(folder)

    def _file(self, path: Path, member: str, what: str = "") -> Entity:
        properties = {
            "contentSize": str(path.stat().st_size),
            "encodingFormat": texts.FORMATS.get(path.suffix, "text/plain"),
            "name": Path(member).name,
            "sha256": bundle.file_digest(path),
            **({"description": what} if what else {}),
        }
        return self._crate.add_file(path, member, properties=properties)

    def _context(self, member: str, **properties: Any) -> Entity:
        return self._crate.add(ContextEntity(self._crate, member, properties=properties))

    def _workflow(self) -> Entity:
        path = ROOT / layout.WORKFLOW
        workflow = self._crate.add_workflow(
            path,
            layout.WORKFLOW,
            main=True,
            lang="snakemake",
            lang_version=version("snakemake"),
            properties={
                "name": "Thinwire",
                "description": "From firmware to trials, captures, metrics, claims and the paper",
                "contentSize": str(path.stat().st_size),
                "encodingFormat": "text/plain",
                "sha256": bundle.file_digest(path),
                "version": self._citation.version,
            },
        )
        workflow["conformsTo"] = {"@id": f"{_BIOSCHEMAS}/ComputationalWorkflow/1.0-RELEASE"}
        rules = sorted((ROOT / layout.RULES).glob("*.smk"))
        workflow["hasPart"] = [
            self._file(path, f"{layout.RULES}{path.name}", "rules of the workflow")
            for path in rules
        ]
        return workflow

    def _study(self, study: Study, trials: list[Trial], workflow: Entity, config: Entity) -> Entity:
        """Add a study's design and bundles, and return the action that produced them."""
        name = study.name
        what = str(study.document["title"])
        design = self._file(study.path, f"workflow/studies/{name}.yaml", f"design: {what}")
        parts, outcomes = [], Counter[str]()
        for trial in trials:
            dataset, outcome = self._bundle(trial)
            parts.append(dataset)
            outcomes[outcome] += 1
        words = ", ".join(f"{number} {outcome}" for outcome, number in sorted(outcomes.items()))
        result = self._crate.add_dataset(
            dest_path=f"{layout.BUNDLES}{name}",
            properties={"name": f"bundles of the study {name}", "description": words},
        )
        result["hasPart"] = parts
        return self._crate.add_action(
            workflow,
            identifier=f"#run-{name}",
            object=[config, design],
            result=[result],
            properties={
                "@type": "CreateAction",
                "name": f"Trials of the study {name}: {what}",
                "description": str(study.document["question"]),
                "actionStatus": "http://schema.org/CompletedActionStatus",
            },
        )

    def _bundle(self, trial: Trial) -> tuple[Entity, str]:
        """Add a bundle; return its entity and outcome."""
        folder = self._source.raw / trial.study / trial.id
        member = f"{layout.BUNDLES}{trial.study}/{trial.id}"
        lab = read_json(folder / "lab.json", "run the trial again")
        versions = read_json(folder / "trial.json", "run the trial again")["versions"]
        self._versions.update((versions | lab.get("versions", {})).items())
        dataset = self._crate.add_dataset(
            dest_path=member,
            properties={
                "name": f"trial {trial.study}/{trial.id}",
                "description": ": ".join(filter(None, [lab["outcome"], lab.get("reason", "")])),
            },
        )
        dataset["hasPart"] = [
            self._file(path, f"{member}/{path.name}", texts.FILES[path.name])
            for path in sorted(folder.iterdir())
        ]
        return dataset, str(lab["outcome"])

    def _parameters(self, workflow: Entity, config: Entity) -> None:
        """Add inputs and outputs of the workflow, each with an example, as the profile requires."""
        crate, first = self._crate, next(iter(self._source.studies))
        design = crate.get(f"workflow/studies/{first}.yaml")
        bundles = crate.get(f"{layout.BUNDLES}{first}/")
        rows = [
            ("input", "config", "File", "the configuration", config),
            ("input", "study", "File", "a study's design", design),
            ("output", "bundles", "Dataset", "the bundles of a study", bundles),
        ]
        for side, name, kind, what, example in rows:
            parameter = self._context(
                f"#{name}",
                **{
                    "@type": "FormalParameter",
                    "name": name,
                    "description": what,
                    "additionalType": kind,
                    "conformsTo": {"@id": f"{_BIOSCHEMAS}/FormalParameter/1.0-RELEASE"},
                },
            )
            parameter["workExample"] = example
            example["exampleOfWork"] = parameter
            workflow.append_to(side, parameter)

    def _software(self, workflow: Entity) -> None:
        """Add the software versions that the bundles name."""
        for (name, number), trials in sorted(self._versions.items()):
            application = self._context(
                f"#software-{name}-{number}".replace(" ", "_"),
                **{
                    "@type": "SoftwareApplication",
                    "name": name,
                    "softwareVersion": number,
                    "description": f"of {trials} trials",
                },
            )
            workflow.append_to("softwareRequirements", application)

    def _root(self, actions: list[Entity]) -> None:
        citation, root = self._citation, self._crate.root_dataset
        profiles = [
            self._context(name, **{"@type": "CreativeWork", "name": title, "version": number})
            for name, (title, number) in layout.PROFILES.items()
        ]
        root["conformsTo"] = profiles
        root["name"] = self._title
        root["description"] = (
            f"Captures, logs and parameters of the studies {', '.join(self._source.studies)}, from"
            " which Thinwire's workflow makes metrics, claims, figures and paper."
        )
        root["datePublished"] = self._day.isoformat()
        root["license"] = self._context(
            f"https://spdx.org/licenses/{citation.license}",
            **{"@type": "CreativeWork", "name": citation.license},
        )
        root["author"] = [
            self._context(
                author.orcid or f"#author-{number}",
                **{"@type": "Person" if author.person else "Organization", "name": author.name},
            )
            for number, author in enumerate(citation.authors, start=1)
        ]
        root["mentions"] = actions
        if citation.doi:
            root["identifier"] = f"https://doi.org/{citation.doi}"
            root["cite-as"] = f"https://doi.org/{citation.doi}"
        if citation.keywords:
            root["keywords"] = ", ".join(citation.keywords)
        workflow = self._crate.mainEntity
        workflow["license"] = root["license"]
        workflow["author"] = root["author"]
        if citation.url:
            workflow["url"] = citation.url


def write(source: Source, about: About, folder: Path, aside: Path) -> None:
    """Write a crate into an empty folder; `aside` is a folder for intermediate files."""
    _Writer(source, about).write(folder, aside)
