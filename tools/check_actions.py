"""check_actions.py [FOLDER]: does any code that strangers wrote reach the boards?

Reads every workflow of GitHub Actions in FOLDER (.github) and tells, a line each, where one breaks
a rule of docs/hardware.md, "Who may start boards". Exit status 1 if one does, 2 if a file cannot be
read.

Everything here errs on the safe side: a runner that is not by name one of GitHub's own is a host
with boards, an `if:` protects nothing, a workflow of another repository is refused whole, and what
cannot be understood is refused. What no file tells, because it is a setting of the repository:
that the environments named here have their branches and reviewers, and who may push.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hil.base.documents import read_yaml
from hil.base.errors import InputError, ThinwireError
from hil.base.paths import ROOT

HOSTED = re.compile(r"(ubuntu|windows|macos)-[0-9a-z.]+(-arm|-xlarge|-large)?")
# Environments with boards behind them, and the events that may reach each. By hand: reviewers.
ON_ITS_OWN, BY_HAND = "boards", "boards-by-hand"
EVENTS = {ON_ITS_OWN: {"push", "schedule"}, BY_HAND: {"workflow_dispatch"}}
REFUSED = {"pull_request_target", "workflow_run"}
# What a job may write, by the events that reach it; nothing where strangers' code runs.
WRITES = {
    "push": {"attestations", "id-token", "pages"},
    "schedule": {"attestations", "id-token", "pages"},
    "workflow_dispatch": {"attestations", "id-token", "pages", "statuses"},
    "issue_comment": {"actions"},
}
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}|docker://[^@]+@sha256:[0-9a-f]{64}")
# Who may ask for boards in a comment: a list, by those who may change the repository's settings.
LISTED = "contains(fromJSON(vars.BOARD_STARTERS || '[]'), github.event.comment.user.login) && "
# A variable that is not set is an empty text, which is no JSON; a job without a runner waits a day.
UNSET = re.compile(r"fromJSON\(\s*vars\.\w+\s*\)")
HAS_BOARDS = "vars.BOARDS == 'true'"
PUSHES = {"branches": ["main"], "tags": ["v*"]}
# What a checkout on a host with boards may name, and the program that finds it.
HEAD, TRUSTED = "${{ needs.head.outputs.commit }}", ".ci/trusted-head"
OTHER_RUN = {"run-id", "repository"}
SECRET = re.compile(r"\bsecrets\b")


@dataclass(frozen=True, order=True)
class Finding:
    """A broken rule: `rule` is its name, `where` the file and job."""

    where: str
    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.where}: {self.rule}: {self.text}"


# Its name and its filters.
Event = tuple[str, dict[str, Any]]


def _map(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _texts(value: Any) -> Iterator[str]:
    """Every text in a document, keys included."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str):
        yield value


def _is_hosted(job: dict[str, Any]) -> bool:
    """Whether a job runs on a machine of GitHub's, by one label that says so."""
    labels = _list(job.get("runs-on"))
    return len(labels) == 1 and isinstance(labels[0], str) and bool(HOSTED.fullmatch(labels[0]))


class Workflows:
    """All workflows of a repository.

    Attributes:
        files: name -> document.
        actions: the path by which a workflow names it -> document of a local action.
    """

    def __init__(self, folder: Path) -> None:
        root = folder / "workflows"
        paths = sorted(path for path in root.glob("*") if path.suffix in {".yml", ".yaml"})
        self.files = {path.name: self._read(path) for path in paths}
        found = sorted(folder.rglob("action.y*ml"))
        self.actions = {f"./.github/{p.parent.relative_to(folder)}": self._read(p) for p in found}
        if not self.files:
            raise InputError(root, "", "there is no workflow here", "name the folder .github")

    @staticmethod
    def _read(path: Path) -> dict[str, Any]:
        document = read_yaml(path)
        if not isinstance(document, dict):
            raise InputError(path, "", "is no mapping", "correct it")
        return document

    def events(self, name: str, seen: frozenset[str] = frozenset()) -> list[Event]:
        """The events that start a workflow, or one that calls it, directly or not."""
        on = self.files[name].get("on")
        if isinstance(on, dict):
            found = [(event, _map(filters)) for event, filters in on.items()]
        else:
            found = [(str(event), {}) for event in _list(on)]
        for caller, document in self.files.items():
            called = {_map(job).get("uses") for job in _map(document.get("jobs")).values()}
            if f"./.github/workflows/{name}" in called and caller not in seen:
                found += self.events(caller, seen | {name})
        return found

    def findings(self) -> list[Finding]:
        """Every broken rule, sorted."""
        found = [item for name in self.files for item in self._of_workflow(name)]
        for name, action in self.actions.items():
            steps = _list(_map(action.get("runs")).get("steps"))
            found += [Finding(name, rule, text) for rule, text in self._of_steps(steps)]
        return sorted(found)

    def _of_workflow(self, name: str) -> Iterator[Finding]:
        document, events = self.files[name], self.events(name)
        for event in sorted(REFUSED & _names(events)):
            yield Finding(name, "event", f"{event} runs with this repository's rights")
        if _writes(document.get("permissions")) is None:
            yield Finding(name, "permissions", "it states none, so each job has the default")
        elif _writes(document["permissions"]):
            yield Finding(name, "permissions", "every job may write: state it at the one that must")
        if "${{" in str(document.get("defaults")):
            yield Finding(name, "script", "an expression stands in `defaults`")
        if any(UNSET.search(text) for text in _texts(document)):
            yield Finding(name, "unset", "a variable that is not set is no JSON: || '[]'")
        for key, value in _map(document.get("jobs")).items():
            job, where = _map(value), f"{name}: {key}"
            for rule, text in self._of_job(job, document, events):
                yield Finding(where, rule, text)

    def _of_job(
        self, job: dict[str, Any], document: dict[str, Any], events: list[Event]
    ) -> Iterator[tuple[str, str]]:
        called, steps = str(job.get("uses", "")), _list(job.get("steps"))
        if called and not called.startswith("./.github/workflows/"):
            yield "foreign", f"{called} may run on any runner of this repository"
        if called and "secrets" in job:
            yield "secret", f"{called} is given secrets"
        writes = _writes(job.get("permissions", document.get("permissions"))) or set()
        allowed = [WRITES.get(event, set()) for event in _names(events)]
        if extra := writes - set.intersection(*allowed or [set()]):
            yield "permissions", f"may write {', '.join(sorted(extra))}"
        if "${{" in str(job.get("defaults")):
            yield "script", "an expression stands in `defaults`"
        pushes = [filters for event, filters in events if event == "push"]
        if "pages" in writes and any(each != {"branches": ["main"]} for each in pushes):
            yield "pages", "the environment github-pages lets main publish, and no tag"
        yield from self._of_steps(steps)
        if "issue_comment" in _names(events):
            yield from _of_comment(job, steps)
        if not called and not _is_hosted(job):
            yield from _of_board_job(job, document, events, steps)

    def _of_steps(self, steps: list[Any]) -> Iterator[tuple[str, str]]:
        for step in map(_map, steps):
            uses, given = str(step.get("uses", "")), _map(step.get("with"))
            if uses and not PINNED.fullmatch(uses) and uses not in self.actions:
                yield "pin", f"{uses} is not pinned by its commit"
            for key in ("run", "shell", "working-directory"):
                if "${{" in str(step.get(key, "")):
                    yield "script", f"an expression stands in `{key}`: pass it through `env`"
            if "${{" in str(given.get("script", "")):
                yield "script", "an expression stands in a script: pass it through `env`"
            if "cache" in uses or any("cache" in key and given[key] is not False for key in given):
                yield "cache", f"{uses} shares a cache with whoever else runs here"
            keeps = given.get("persist-credentials") is not False
            if uses.startswith("actions/checkout@") and keeps:
                yield "checkout", "the checkout keeps its token: persist-credentials: false"
            if uses.startswith("actions/download-artifact@") and given.keys() & OTHER_RUN:
                yield "artifact", "an artifact of another run may be a stranger's"


def _names(events: list[Event]) -> set[str]:
    return {name for name, _ in events}


def _writes(permissions: Any) -> set[str] | None:
    """What may be written; None where nothing is stated."""
    if permissions is None:
        return None
    if isinstance(permissions, str):
        return set() if permissions == "read-all" else {permissions}
    return {key for key, level in permissions.items() if level not in ("read", "none")}


def _of_comment(job: dict[str, Any], steps: list[Any]) -> Iterator[tuple[str, str]]:
    """A comment may start what somebody on a list asks for; it brings no code along."""
    rest = str(job.get("if")).removeprefix(LISTED)
    if rest == str(job.get("if")) or "||" in rest:
        yield "trust", "a comment of anybody starts it: begin `if` with the list of names"
    for step in map(_map, steps):
        if "uses" in step:
            yield "trust", f"{step['uses']} stands where a comment arrives"


def _of_board_job(
    job: dict[str, Any], document: dict[str, Any], events: list[Event], steps: list[Any]
) -> Iterator[tuple[str, str]]:
    """A job on a machine with boards."""
    place = str(_map(job.get("environment")).get("name", job.get("environment")))
    if place not in EVENTS:
        yield "environment", f"boards stand behind the environments {', '.join(sorted(EVENTS))}"
    for event in sorted(_names(events) - {"workflow_call"}):
        if event not in set.union(*EVENTS.values()):
            yield "reach", f"{event} reaches a board"
        elif place in EVENTS and event not in EVENTS[place]:
            yield "reach", f"{event} reaches a board through the environment '{place}'"
    if not all(_is_main(filters) for event, filters in events if event == "push"):
        yield "branch", "a push to any branch reaches a board: branches: [main], tags: [v*]"
    if job.get("if") != HAS_BOARDS:
        yield "absent", f"it waits for a day where there is no board: if: {HAS_BOARDS}"
    yield from _of_board_host(job, document)
    yield from _of_source(document, steps)


def _of_board_host(job: dict[str, Any], document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What such a job may not ask of its host."""
    if "concurrency" in job or "concurrency" in document:
        yield "queue", "concurrency drops waiting jobs: boards are waited for by reservation"
    if any(SECRET.search(text) for text in _texts([job, document.get("env")])):
        yield "secret", "a host with boards gets no secret"
    if _writes(job.get("permissions", document.get("permissions"))):
        yield "permissions", "a job on a host with boards writes nothing"
    if not isinstance(job.get("timeout-minutes"), int):
        yield "timeout", "without timeout-minutes it may hold a board for six hours"
    if "container" in job or "services" in job:
        yield "container", "a container on a host with boards asks for rights over the host"
    if len(_list(job.get("runs-on"))) != 2 or "${{" in str(job.get("runs-on")):
        yield "runner", "name the runner by two labels, self-hosted and the host's"


def _of_source(document: dict[str, Any], steps: list[Any]) -> Iterator[tuple[str, str]]:
    """Whose commit such a job runs."""
    for given in (_map(_map(step).get("with")) for step in steps):
        if "ref" in given and not (given["ref"] == HEAD and _has_head(document)):
            yield "source", f"{given['ref']} may be a fork's: {HEAD}, by {TRUSTED}"
        if "repository" in given:
            yield "source", f"{given['repository']} is another repository"


def _has_head(document: dict[str, Any]) -> bool:
    """Whether the job `head` tells a commit that .ci/trusted-head has looked at, and no other."""
    job = _map(_map(document.get("jobs")).get("head"))
    steps = [_map(step) for step in _list(job.get("steps"))]
    runs = [step for step in steps if "run" in step]
    return (
        [step["run"] for step in runs] == [f'{TRUSTED} "$PULL"']
        and str(runs[0].get("id")) == "head"
        and job.get("outputs") == {"commit": "${{ steps.head.outputs.commit }}"}
        and all("ref" not in _map(step.get("with")) for step in steps)
    )


def _is_main(push: dict[str, Any]) -> bool:
    """Whether a push is taken on main and at tags of releases only."""
    return bool(push) and all(PUSHES.get(key) == taken for key, taken in push.items())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / ".github")
    try:
        found = Workflows(parser.parse_args().folder).findings()
    except ThinwireError as error:
        print(f"thinwire: error: {error}", file=sys.stderr)
        return error.status
    for finding in found:
        print(finding)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
