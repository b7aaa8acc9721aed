"""Images of the machines: identified by content, built when new, never changed.

build/lab/<digest>/  image.cpio vmlinuz bql_shim.so info.json
                     memory.ram state.vm snapshot.json (the snapshot)
build/lab/inputs-*.json  sizes and dates of all inputs, to find an unchanged image quickly; a file
                         for each flavour and environment
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hil.base.errors import InputError, ToolMissing
from hil.base.paths import ROOT
from hil.design import protocols
from hil.machine import closure, cpio, machine, pyruntime, shipped
from hil.machine.flavours import COMMON, Flavour
from hil.peers import CLIENTS, SERVERS, load
from hil.peers.amqp import erlang
from hil.rig.boards import BOARDS
from hil.system import preloads, scratch

LAB = shipped.LAB
KERNEL = ROOT / "build" / "kernel"
GUEST_MODULES = (
    "hil.machine.guest",
    "hil.machine.uml.guest",
    *SERVERS.modules(),
    *CLIENTS.modules(),
    load.GENERATOR,
    *BOARDS.modules(),
    "hil.rig.boards.fleet",
    "hil.rig.boards.lx106_state",
    "hil.peers.services.router",
    "hil.rig.injection",
    "hil.rig.links.wire",
)
_BQL_SHIM = Path(__file__).with_name("bql_shim.c")
_KEPT = 4


@dataclass(frozen=True)
class Image:
    """A built image in `folder`, named by its digest."""

    folder: Path
    flavour: Flavour = COMMON

    @property
    def digest(self) -> str:
        return self.folder.name

    @property
    def archive(self) -> Path:
        return self.folder / "image.cpio"

    @property
    def kernel(self) -> Path:
        return self.folder / "vmlinuz"

    @property
    def bql_shim(self) -> Path:
        return self.folder / "bql_shim.so"

    @property
    def memory(self) -> Path:
        return self.folder / "memory.ram"

    @property
    def state(self) -> Path:
        return self.folder / "state.vm"

    @property
    def snapshot(self) -> Path:
        return self.folder / "snapshot.json"

    def archive_sha256(self) -> str:
        """Return the SHA-256 of the archive, which is the same for every machine."""
        return str(self.info()["archive"])

    def info(self) -> dict[str, object]:
        """Return its description: digest, kernel, QEMU, libraries, SHA-256 of each program."""
        return dict(json.loads((self.folder / "info.json").read_text(encoding="utf-8")))


@contextmanager
def locked(name: str, lab: Path) -> Iterator[None]:
    """Hold a lock file in `lab`, so that one of several processes builds what all need."""
    lab.mkdir(parents=True, exist_ok=True)
    # Open it to read: another user's lock file cannot be written, and need not be.
    held = os.open(lab / f"{name}.lock", os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _words(flavour: Flavour) -> str:
    """Return the kernel's command line as far as it is known before the image is built."""
    return machine.kernel_words("", [flavour.name])


def stamp(path: Path | str) -> list[int]:
    """Return values that differ after a file has been changed or replaced, without reading it."""
    status = os.stat(path)  # noqa: PTH116 - a trial looks at 700, and a Path each takes ten times as long
    return [status.st_size, status.st_mtime_ns, status.st_ino]


def _inputs(flavour: Flavour, lab: Path) -> Path:
    """Return the path of the file about the inputs, which is another one wherever something besides
    the contents of files determines which files are inputs."""
    built = [(ROOT / "build" / name).exists() for name in closure.BUILT]
    folders = os.environ.get("PATH", "").split(os.pathsep)
    # A shell inside a shell of the project has its folders of programs twice.
    programs = list(dict.fromkeys(os.path.realpath(folder) for folder in folders))
    options = machine.options(flavour.memory_mib)
    where = [programs, str(pyruntime.interpreter()), str(ROOT), built, options, _words(flavour)]
    environment = hashlib.sha256(json.dumps(where).encode()).hexdigest()[:16]
    return lab / f"inputs-{flavour.label}-{environment}.json"


def _known(inputs: Path) -> tuple[str, dict[str, list[int]]]:
    """Return digest and stamps from a file about inputs; none if it is missing or damaged."""
    try:
        known = json.loads(inputs.read_text(encoding="utf-8"))
        return known["digest"], known["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return "none", {}


def _cached(inputs: Path, flavour: Flavour) -> Image | None:
    """Return the image of the last build, if none of its inputs has changed since."""
    digest, files = _known(inputs)
    image = Image(inputs.parent / digest, flavour)
    try:
        unchanged = all(stamp(path) == before for path, before in files.items())
    except OSError:
        return None
    return image if unchanged and (image.folder / "info.json").exists() else None


def _check_kernel() -> str:
    """Return the release of the kernel in build/kernel; ToolMissing if there is none."""
    try:
        return (KERNEL / "release").read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ToolMissing(
            "build/kernel", "the time-warped machine", "run 'make' or 'setup/fetch'"
        ) from error


def _pack(parts: list[closure.Part], folder: Path) -> None:
    """Write image.cpio into `folder`."""
    sources = [part.module for part in parts if part.module]
    with tempfile.TemporaryDirectory(dir=folder) as work:
        compiled = pyruntime.compile_all(sources, Path(work))
        entries = {target: cpio.Entry(source=path, mode=0o644) for target, path in compiled.items()}
        for part in parts:
            if part.module is None:
                text = part.text.encode() if part.text is not None else None
                entries[part.target] = cpio.Entry(part.source, text, mode=part.mode)
        with (folder / "image.cpio").open("wb") as out:
            cpio.write(out, entries)


def _info(parts: list[closure.Part], digest: str, release: str, archive: Path) -> dict[str, object]:
    programs = {
        part.target: part.digest()
        for part in parts
        if part.target.startswith("bin/") or part.target == closure.PYTHON
    }
    with archive.open("rb") as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()
    return {
        "digest": digest,
        "archive": content,
        "kernel": release,
        "qemu": machine.version(),
        "files": len(parts),
        "libraries": closure.library_path(parts),
        "programs": programs,
    }


def _make(parts: list[closure.Part], image: Image, release: str) -> None:
    """Build the image in a scratch folder and rename that."""
    if (image.folder / "info.json").exists():
        return
    try:
        with scratch.folder(".building-", image.folder.parent) as aside:
            _pack(parts, aside)
            shutil.copyfile(KERNEL / "vmlinuz", aside / "vmlinuz")
            preloads.compile_to(_BQL_SHIM, aside / "bql_shim.so")
            known = _info(parts, image.digest, release, aside / "image.cpio")
            text = json.dumps(known, indent=1, sort_keys=True)
            (aside / "info.json").write_text(text + "\n", encoding="utf-8")
            aside.chmod(0o755)
            aside.rename(image.folder)
    except OSError as error:
        raise InputError(
            image.folder.parent, "", f"cannot hold the image ({error})", "free some disk"
        ) from error


def _prune(newest: Image) -> None:
    """Keep only the last few images: each needs 400 MB with its snapshot. Remove what was known
    about the inputs of others.

    A machine that still runs a removed image keeps its open files.
    """
    made = [
        path.parent
        for path in newest.folder.parent.glob("*/info.json")
        if path.parent != newest.folder
    ]
    made.sort(key=lambda folder: folder.stat().st_mtime_ns, reverse=True)
    for folder in made[_KEPT - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)
    for inputs in newest.folder.parent.glob("inputs-*.json"):
        if not (inputs.parent / _known(inputs)[0]).exists():
            inputs.unlink(missing_ok=True)


def build(flavour: Flavour = COMMON, lab: Path = LAB) -> Image:
    """Return the image of this environment and flavour, built in `lab` if its contents are new.

    Raises:
        ToolMissing: a program, library or the kernel is missing; says how to get it.
        InputError: the disk is full.
    """
    if shipped.IN_WHEEL:
        return Image(shipped.image_folder(lab, flavour.label), flavour)
    with locked("image", lab):
        inputs = _inputs(flavour, lab)
        if image := _cached(inputs, flavour):
            return image
        release = _check_kernel()
        parts = closure.collect(GUEST_MODULES, KERNEL, flavour)
        kernel, bql_shim = (
            hashlib.sha256(file.read_bytes()).hexdigest()
            for file in (KERNEL / "vmlinuz", _BQL_SHIM)
        )
        options = machine.options(flavour.memory_mib)
        text = json.dumps([kernel, bql_shim, machine.version(), options, _words(flavour)])
        image = Image(lab / closure.digest(parts, text), flavour)
        _make(parts, image, release)
        sources = {str(part.source): stamp(part.source) for part in parts if part.source}
        deciding = [Path(machine.program()), KERNEL / "vmlinuz", _BQL_SHIM, protocols.TABLE]
        deciding += [Path(erlang.__file__), erlang.AUX_THREAD, *closure.LIBRARIES]
        deciding += Path(__file__).parent.rglob("*.py")  # these determine which files are inputs
        sources |= {str(path): stamp(path) for path in deciding}
        known = {"digest": image.digest, "files": sources}
        inputs.write_text(json.dumps(known), encoding="utf-8")
        _prune(image)
        return image


def mark_current(image: Image) -> None:
    """Write the digest to build/lab/current, on which the workflow depends as a file."""
    if shipped.IN_WHEEL:
        return
    current = LAB / shipped.CURRENT
    text = image.digest + "\n"
    if not current.exists() or current.read_text(encoding="utf-8") != text:
        current.write_text(text, encoding="utf-8")
    else:
        current.touch()
