"""What goes into the image: programs, their libraries, Python, kernel modules, a few files.

A closure is a list of parts sorted by target path. Its digest depends on contents and target paths
only, so two people with the same packages get the same image, wherever their clones are.
"""

from __future__ import annotations

import hashlib
import json
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from hil.base.errors import ToolMissing
from hil.base.paths import ROOT
from hil.design import addressing, protocols, samples
from hil.machine import elf, pyruntime
from hil.machine.bootorder import BOOT_ORDER
from hil.machine.flavours import Flavour
from hil.peers import tls
from hil.peers.amqp import erlang
from hil.peers.cloud import names
from hil.system import preloads, tools

RABBITMQ_PATHS = "etc/rabbitmq.json"
TC_TABLES = "opt/thinwire/tc"
PYTHON = f"{pyruntime.HOME}/bin/python3"
# What the server of OSCORE reads: the keys of the laboratory's devices.
OSCORE = "data/oscore/settings.json"
# Sources of libraries that are preloaded into third-party programs; named by path, because the
# modules that use them import much else.
LIBRARIES = tuple(
    ROOT / "hil" / path
    for path in (
        "peers/cloud/auth.c",
        "peers/mqtt/servertime.c",
        "rig/boards/chipclock.c",
        "system/randomness.c",
    )
)
# Included if installed; below build: if built.
OPTIONAL = ("busybox",)
BUILT = ("sim/air/air", "sim/lx106/lx106", "sim/wire/wire", "dtls/dtls-terminator")

_TEXTS = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/sh\n",
    "etc/group": "root:x:0:\n",
    "etc/hosts": f"127.0.0.1 localhost thinwire\n{addressing.SERVER_IP} {names.HOST}\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "etc/protocols": "icmp 1 ICMP\ntcp 6 TCP\nudp 17 UDP\n",
    "etc/shell": "alias ip=/bin/ip tc=/bin/tc  # busybox prefers its own\n",
    "etc/services": "coap 5683/udp\nmqtt 1883/tcp\n",
}
# Libraries of a Python outside the system folders, such as pyenv's.
_LIBRARIES = "opt/thinwire/lib"
_SYSTEM = ("/lib", "/lib64", "/usr/lib", "/usr/lib64")
_FOLDERS = ("dev", "proc", "root", "run", "sys", "tmp")


@dataclass(frozen=True)
class Part:
    """A file of the image at the path `target`: a copy of `source`, or `text`; `module` for Python
    that is compiled."""

    target: str
    source: Path | None = None
    text: str | None = None
    mode: int = 0o644
    module: pyruntime.Module | None = None

    def digest(self) -> str:
        """Return the SHA-256 of the contents, hexadecimal."""
        content = self.source.read_bytes() if self.source else (self.text or "").encode()
        return hashlib.sha256(content).hexdigest()


def _programs(more: tuple[str, ...]) -> dict[str, Path]:
    """Return the host path of every program of the image, by target path."""
    programs = {f"bin/{name}": tools.program(name) for name in (*tools.PROGRAMS, *more)}
    for name in OPTIONAL:
        if found := tools.find(name):
            programs[f"bin/{name}"] = Path(found)
    for name in BUILT:
        if (path := ROOT / "build" / name).exists():
            programs[f"bin/{path.name}"] = path
    programs[PYTHON] = pyruntime.interpreter()
    return programs


def _delay_table(tc: Path) -> Path:
    """Return the table of the normal distribution that belongs to this `tc` (jitter of netem)."""
    prefix = tc.resolve().parent.parent
    for root in (prefix, Path("/usr")):
        for pattern in ("lib/tc", "lib/*/tc", "share/tc"):
            for folder in sorted(root.glob(pattern)):
                if (folder / "normal.dist").exists():
                    return folder / "normal.dist"
    raise ToolMissing("normal.dist", "jitter of the link", "reinstall iproute2")


def _libraries(
    programs: dict[str, Path], extensions: list[Path], python: str | None = PYTHON
) -> set[Path]:
    """Return loaders and libraries of programs, and of extension modules of `python`."""
    libraries: set[Path] = set()
    loaders = {}
    for target, path in programs.items():
        loader = elf.interpreter(path)
        if loader is None:
            continue
        loaders[target] = loader
        libraries |= {loader, *elf.needed(path.resolve(), loader)}
    for path in extensions:
        libraries |= set(elf.needed(path, loaders[python or PYTHON]))
    # The C library loads this library by name when a thread exits.
    libraries |= {
        path.parent / "libgcc_s.so.1"
        for path in list(libraries)
        if path.name == "libc.so.6" and (path.parent / "libgcc_s.so.1").exists()
    }
    return libraries


def _preload(source: Path) -> Part:
    """Return the part of a library that is preloaded, compiled from this C file."""
    return Part(f"{preloads.PACKED}/{source.stem}.so", preloads.built(source))


def _rabbitmq() -> tuple[list[Part], set[Path]]:
    """Return the parts of RabbitMQ and Erlang, at their host paths, and the libraries they need."""
    paths = erlang.find()
    found = erlang.files(paths)
    programs = {str(path): path for path in found if path.parent == paths.binaries}
    commands = {"bin/sh": tools.program("sh")}  # through which the runtime runs commands
    loader = elf.interpreter(paths.binaries / "beam.smp")
    libraries = _libraries(programs | commands, [], None)
    for path in found:
        if path.suffix == ".so" and loader:
            libraries |= set(elf.needed(path, loader))
    parts = [Part(str(path).lstrip("/"), path, mode=0o755) for path in found]
    parts += [Part(name, path.resolve(), mode=0o755) for name, path in commands.items()]
    # The broker runs `erl` only to start epmd, which runs already.
    parts.append(Part(str(paths.binaries / "erl").lstrip("/"), text="#!/bin/sh\n", mode=0o755))
    text = json.dumps({"root": str(paths.root), "home": str(paths.home)})
    parts += [_preload(erlang.AUX_THREAD), Part(RABBITMQ_PATHS, text=text)]
    return parts, libraries


def library_path(parts: list[Part]) -> str:
    """Return the folders of all libraries for LD_LIBRARY_PATH, since the image has no cache."""
    folders = {f"/{Path(part.target).parent}" for part in parts if ".so" in Path(part.target).name}
    own = {f"/{_LIBRARIES}"}
    return ":".join(sorted(f for f in folders if f in own or not f.startswith("/opt/thinwire")))


def _library_target(library: Path) -> str:
    """Return the target of a library: its host path, if that is the same on every host."""
    if library.is_relative_to("/nix/store") or any(
        library.is_relative_to(folder) for folder in _SYSTEM
    ):
        return str(library).lstrip("/")
    return f"{_LIBRARIES}/{library.name}"


def _files(patterns: tuple[str, ...]) -> list[Part]:
    """Return the files of the project, or else of the installed Python packages, that match.

    Raises:
        ToolMissing: no file matches a pattern.
    """
    parts: list[Part] = []
    for pattern in patterns:
        for root in (ROOT, Path(sysconfig.get_paths()["purelib"])):
            if found := sorted(path for path in root.glob(pattern) if path.is_file()):
                targets = [f"{pyruntime.SITE}/{path.relative_to(root)}" for path in found]
                parts += [Part(target, path) for target, path in zip(targets, found, strict=True)]
                break
        else:
            raise ToolMissing(pattern, "the lab", "run 'make' or 'setup/install' again")
    return parts


def collect(modules_of_guest: tuple[str, ...], kernel: Path, flavour: Flavour) -> list[Part]:
    """Return all parts of an image whose Python imports these modules, sorted by target.

    Args:
        modules_of_guest: what its first process imports.
        kernel: folder with `modules/*.ko`.
        flavour: which further files it contains.

    Raises:
        ToolMissing: a program, library, Python module or kernel file is missing.
    """
    programs = _programs(flavour.programs)
    modules = pyruntime.modules((*modules_of_guest, *flavour.modules))
    extensions = [module.source for module in modules if not module.compiled]
    parts = [Part(target, path.resolve(), mode=0o755) for target, path in programs.items()]
    libraries = _libraries(programs, extensions)
    if flavour.rabbitmq:
        more, needed = _rabbitmq()
        parts += more
        libraries |= needed
    for library in sorted(libraries):
        parts.append(Part(_library_target(library), library, mode=0o755))
    for module in modules:
        parts.append(Part(module.target, module.source, module=module if module.compiled else None))
    for name in BOOT_ORDER:
        path = kernel / "modules" / f"{name}.ko"
        if path.exists():  # otherwise it is built into this kernel
            parts.append(Part(f"lib/modules/{name}.ko", path))
    parts.append(Part(f"{TC_TABLES}/normal.dist", _delay_table(programs["bin/tc"])))
    parts += [Part(target, text=text) for target, text in _TEXTS.items()]
    parts += _files((OSCORE, *flavour.files))
    parts += map(_preload, LIBRARIES)
    table = json.dumps(protocols.document())
    parts.append(Part(f"{pyruntime.SITE}/{protocols.PACKED}", text=table))
    parts += [
        Part(f"{pyruntime.SITE}/{path.relative_to(ROOT)}", path)
        for path in (*tls.files(), *samples.files())
    ]
    parts += [Part(f"{folder}/.keep", text="") for folder in _FOLDERS]
    return sorted(parts, key=lambda part: part.target)


def digest(parts: list[Part], machine: str) -> str:
    """Return the name of an image: 16 hex digits over all targets, contents and `machine`.

    `machine` describes what else affects results: QEMU's version and options, the kernel.
    """
    listing = [[part.target, part.mode, part.digest()] for part in parts]
    text = json.dumps([machine, listing], separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
