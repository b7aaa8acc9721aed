"""Packages: a foreign program with all that it needs, as one file of a trial.

A package is a tar archive of a root file system. The user's folder is /device; programs, loaders
and libraries of this host have their own paths. The archive depends on contents, paths and the
execute permission of files only: it is sorted, without dates, owners and other modes.
"""

from __future__ import annotations

import io
import json
import os
import shlex
import shutil
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.design import addressing
from hil.design.device import FOLDER, Device
from hil.machine import elf, runtimes
from hil.machine.rootfs import RootFs
from hil.system import container, preloads, processes, scratch

LARGEST_MIB = 512
# What a folder holds beside a program: history, results, caches.
LEFT_OUT = {".git", ".hg", ".svn", "__pycache__", "thinwire-out", ".pytest_cache", ".mypy_cache"}
_TEXTS = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/sh\ndevice:x:7701:7701::/device:/bin/sh\n"
    "server:x:7702:7702::/device:/bin/sh\n",
    "etc/group": "root:x:0:\ndevice:x:7701:\nserver:x:7702:\n",
    "etc/hosts": f"127.0.0.1 localhost\n{addressing.SERVER_IP} server\n"
    f"{addressing.BOARD_IP} device\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "etc/protocols": "icmp 1 ICMP\ntcp 6 TCP\nudp 17 UDP\n",
    "etc/services": "coap 5683/udp\nmqtt 1883/tcp\n",
}
_RANDOMNESS = "/opt/thinwire/randomness.so"
_SHEBANG_BYTES = 256  # BINPRM_BUF_SIZE of Linux
_DEEPEST = 4  # interpreters of interpreters (BINPRM_MAX_RECURSION)


class _Packer:
    """Collects the files of one package; `key` names the program in messages about `folder`."""

    def __init__(self, device: Device, folder: Path, key: str) -> None:
        self.device, self.folder, self.key = device, folder.absolute(), key
        given = device.environment.get("LD_LIBRARY_PATH", "")
        libraries = [self._on_host(part) for part in given.split(":") if part]
        self.root = RootFs(self.folder, ":".join(libraries))
        self.environment: dict[str, str] = {}

    def refuse(self, problem: str, remedy: str) -> InputError:
        return InputError(self.folder, self.key, problem, remedy)

    def _on_host(self, path: str) -> str:
        """Return the path on this host of a path in the package."""
        if PurePosixPath(path).is_relative_to(FOLDER):
            return str(self.folder / PurePosixPath(path).relative_to(FOLDER))
        return str(self.folder / path)  # which is `path` where that is absolute

    def add_folder(self, files: Sequence[Path] | None) -> None:
        """Add the user's files: the whole folder, or the words of the command that are files in it
        and those that are named."""
        if files is None:
            self._add_tree(self.folder, FOLDER)
            return
        words = [self.folder / word for word in self.device.argv if not word.startswith("/")]
        for path in [word for word in words if word.is_file()]:
            self._add_tree(path, self.root.place(path))
        for given in files:
            path = self.folder / given
            if not path.exists():
                raise self.refuse(f"'{given}' is missing", "correct `files`, or create it")
            inside = path.absolute().is_relative_to(self.folder) and ".." not in given.parts
            self._add_tree(path, self.root.place(path) if inside else f"{FOLDER}/{path.name}")

    def _add_tree(self, path: Path, target: str) -> None:
        """Add a file, or a folder with its contents, at the path `target` of the package."""
        try:
            if path.is_symlink() and self._add_link(path, target):
                return
            if path.is_dir():
                for entry in sorted(path.iterdir()):
                    if entry.name not in LEFT_OUT:
                        self._add_tree(entry, f"{target}/{entry.name}")
            elif path.is_file():
                with path.open("rb") as file:
                    file.read(1)
                self.root.add(path, target)
        except OSError as error:
            raise self.refuse(
                f"'{path}' cannot be read ({error.strerror})", "make it readable, or move it away"
            ) from error

    def _add_link(self, path: Path, target: str) -> bool:
        """Add a symbolic link; False if its target is to be copied in its place."""
        real = path.resolve()
        if not real.exists():
            return True
        if real.is_relative_to(self.folder.resolve()):
            inside = real.relative_to(self.folder.resolve())
            self.root.link(target, str(PurePosixPath(FOLDER) / inside))
            return True
        if real.is_file():
            self.root.link(target, str(real))
            self.root.add(real)
            return True
        return False

    def add_program(self) -> None:
        """Add the program with its interpreters, libraries and runtime.

        Raises:
            InputError: something is missing, or for another machine.
        """
        if not self.device.argv:
            raise self.refuse("names no program", "give the path of one")
        self._add_executable(self._find(self.device.argv[0]), 0)
        self.root.add_libraries_of_files(self.folder)

    def _find(self, word: str) -> Path:
        """Return the path on this host of a program."""
        if "/" in word:
            path = Path(self._on_host(word))
            if not path.is_file():
                raise self.refuse(
                    f"the program '{word}' is missing", "build it, or correct the path"
                )
            if path.is_relative_to(self.folder):
                self._add_tree(path, self.root.place(path))
            return path
        own = [str(self.folder / part) for part in runtimes.OWN_PROGRAMS]
        beside = str(ROOT / ".venv" / "bin")
        search = [part for part in os.environ.get("PATH", os.defpath).split(":") if part != beside]
        found = shutil.which(word, path=":".join([*own, *search]))
        if found is None:
            raise self.refuse(
                f"the program '{word}' is not on PATH",
                f"install it, or build it and write './{word}' if it is in the folder",
            )
        return Path(found)

    def _add_executable(self, path: Path, depth: int) -> None:
        if not os.access(path, os.X_OK):
            remedy = f"run {shlex.join(['chmod', '+x', str(path)])}"
            raise self.refuse(f"'{path.name}' is not executable", remedy)
        runtime = runtimes.of(path)  # first: its program may stand behind a script
        if runtime:
            self.root.add_at(path, runtime.program)
            self.root.add_elf(runtime.program, self.folder, self.key)
            runtime.complete(self.root)
            self.environment |= runtime.environment
            return
        with path.open("rb") as file:
            head = file.read(_SHEBANG_BYTES)
        if head[:2] == b"#!" and depth < _DEEPEST:
            self.root.add_at(path)
            self._add_interpreter(path, head, depth)
            return
        if head[:4] != elf.MAGIC:
            remedy = "name an ELF program, or a script that begins with #!"
            raise self.refuse(f"'{path.name}' is no program that Linux runs", remedy)
        self.root.add_at(path)
        self.root.add_elf(path.resolve(), self.folder, self.key)

    def _add_interpreter(self, script: Path, head: bytes, depth: int) -> None:
        words = head.split(b"\n", 1)[0][2:].decode(errors="replace").split()
        if not words or not words[0].startswith("/") or not Path(words[0]).is_file():
            named = words[0] if words else ""
            problem = f"'{script.name}' needs the interpreter '{named}', which is not here"
            raise self.refuse(problem, "install it, or correct the first line")
        self._add_executable(Path(words[0]), depth + 1)
        if Path(words[0]).name == "env":
            rest = [word for word in words[1:] if word != "-S" and "=" not in word]
            if not rest:
                raise self.refuse(f"'{script.name}' names no interpreter", "correct its first line")
            self._add_executable(self._find(rest[0]), depth + 1)

    def finish(self) -> None:
        """Add what every package has."""
        if self.root.is_glibc:
            self.environment["LD_PRELOAD"] = _RANDOMNESS
            self.root.add(preloads.built(processes.RANDOMNESS), _RANDOMNESS)
        if self.root.search:
            given = self.device.environment.get("LD_LIBRARY_PATH", "")
            folders = [*filter(None, given.split(":")), *sorted(self.root.search)]
            self.environment["LD_LIBRARY_PATH"] = ":".join(dict.fromkeys(folders))
        for name, text in _TEXTS.items():
            self.root.text(name, text)
        self.root.text(container.ENVIRONMENT, json.dumps(self.environment, sort_keys=True) + "\n")
        self.root.folder(FOLDER)

    def check_size(self) -> None:
        """Refuse a package that the machine has no room for."""
        largest, total = self.root.sizes()
        if total > LARGEST_MIB << 20:
            raise self.refuse(
                f"the package has {total >> 20} MiB; the limit is {LARGEST_MIB} MiB"
                f" (largest: {largest})",
                "name what the program needs in `files`",
            )


def _entries(root: RootFs) -> Iterator[tuple[tarfile.TarInfo, Path | bytes | None]]:
    """Yield the entries of the archive in order, each folder before its contents."""
    for name, content in root.sorted():
        entry = tarfile.TarInfo(name)
        entry.mode = 0o644
        if content is None:
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
        elif isinstance(content, str):
            entry.type, entry.linkname, entry.mode = tarfile.SYMTYPE, content, 0o777
        elif isinstance(content, bytes):
            entry.size = len(content)
        else:
            status = content.stat()
            entry.size = status.st_size
            entry.mode = 0o755 if status.st_mode & 0o111 else 0o644
        yield entry, content


def _write(root: RootFs, target: Path) -> None:
    with tarfile.open(target, "w", format=tarfile.GNU_FORMAT) as archive:
        for entry, content in _entries(root):
            if isinstance(content, Path):
                with content.open("rb") as file:
                    archive.addfile(entry, file)
            else:
                archive.addfile(entry, io.BytesIO(content) if isinstance(content, bytes) else None)


def package(
    device: Device,
    folder: Path,
    target: Path,
    files: Sequence[Path] | None = None,
    key: str = "device",
) -> Path:
    """Write the package of a foreign program to `target`, and return that.

    Args:
        folder: the user's folder.
        files: which files and folders of it, or of this host, the program needs beside itself; None
            for the whole folder. Those outside of the folder come to /device.
        key: which program it is, for messages.

    Raises:
        InputError: something that the program needs is missing or for another machine, or the
            package is too large.
    """
    if not folder.is_dir():
        raise InputError(folder, key, "is not a folder", "name the folder of the program")
    packer = _Packer(device, folder, key)
    packer.add_folder(files)
    packer.add_program()
    packer.finish()
    packer.check_size()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with scratch.folder(".packing-", target.parent) as aside:
            _write(packer.root, aside / target.name)
            (aside / target.name).replace(target)
    except OSError as error:
        raise InputError(
            target, "", f"the package cannot be written ({error.strerror})", "free some disk"
        ) from error
    return target
