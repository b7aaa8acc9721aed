"""Foreign sources: libraries of other authors that take an engine's place in the firmware.

Each is a row of firmware/libraries/sources.yaml. It comes from a mirror folder (an argument, or
THINWIRE_MIRROR) or from its address, and must have the digest of its row.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import io
import os
import shutil
import sys
import tarfile
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path, PurePosixPath

from hil.base.errors import InputError, ThinwireError, print_error
from hil.base.paths import ROOT
from hil.base.schema import load_yaml, nearest

TABLE = ROOT / "firmware" / "libraries" / "sources.yaml"
SOURCES = ROOT / "build" / "src"
TIMEOUT_S = 10
ARCHIVE_BYTES_MAX = 256 << 20


class Unavailable(InputError):
    """Neither the mirror nor the address has the library."""


@dataclass(frozen=True)
class Source:
    """A library's source; `folder` is where it lies. A pinned one is fetched by setup/fetch."""

    name: str
    library: str
    release: str
    licence: str
    folder: Path
    adapter: str = ""
    core: str = ""  # the release of the Arduino core whose behaviour it is built over
    address: str = ""
    tree: str = ""
    part: tuple[str, ...] = ()

    @property
    def here(self) -> bool:
        """Whether it is there, with the digest of its row."""
        if not self.tree:
            return (self.folder / ".sha256").is_file()
        return self.folder.is_dir() and tree_digest(self.folder) == self.tree


def load(table: Path = TABLE, sources: Path = SOURCES) -> dict[str, Source]:
    """Return the table's rows by name; `sources` is the folder that they are fetched to.

    Raises:
        InputError: the table is missing, malformed or wrong.
    """
    return {
        name: Source(
            name=name,
            library=row["library"],
            release=row["release"],
            licence=row["licence"],
            folder=sources / row["pinned"] if "pinned" in row else sources / "libraries" / name,
            adapter=row.get("adapter", ""),
            core=row.get("core", ""),
            address=row.get("address", ""),
            tree=row.get("tree", ""),
            part=tuple(row.get("part", ())),
        )
        for name, row in load_yaml(table, "sources")["sources"].items()
    }


def tree_digest(folder: Path) -> str:
    """Return the SHA-256 of the lines `SHA-256  PATH` of a folder's regular files, by path."""
    lines = sorted(
        (os.fsencode(path.relative_to(folder)), hashlib.sha256(path.read_bytes()).hexdigest())
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    )
    text = b"".join(digest.encode() + b"  " + path + b"\n" for path, digest in lines)
    return hashlib.sha256(text).hexdigest()


def fetch(source: Source, mirror: str = "", silent: set[str] | None = None) -> None:
    """Put a library's source into its folder, unless it is there.

    Args:
        mirror: the mirror folder; THINWIRE_MIRROR where it is empty.
        silent: hosts that did not answer; they are not asked again, and more may be added.

    Raises:
        Unavailable: neither the mirror nor its address has it.
        InputError: it has another digest, or is no archive; its folder is unchanged.
    """
    if source.here:
        return
    if not source.tree:
        raise Unavailable(source.folder, "", "is not there", "run 'setup/fetch'")
    source.folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=source.folder.parent, prefix=".fetch-"))
    try:
        came_from = _unpack(source, mirror, scratch / "tree", set() if silent is None else silent)
        if (found := tree_digest(scratch / "tree")) != source.tree:
            raise InputError(
                came_from,
                "",
                f"the digest of its files is {found}, not {source.tree}",
                f"replace it by {source.library} {source.release}, or correct the table",
            )
        shutil.rmtree(source.folder, ignore_errors=True)
        (scratch / "tree").replace(source.folder)
    finally:
        shutil.rmtree(scratch)


def _unpack(source: Source, mirror: str, target: Path, silent: set[str]) -> str:
    """Unpack the source's files into `target`; return the place they came from."""
    mirror = mirror or os.environ.get("THINWIRE_MIRROR", "")
    folder, archive = (Path(mirror) / f"{source.name}{end}" for end in ("", ".tar.gz"))
    target.mkdir()
    if mirror and folder.is_dir():
        for part in source.part or (".",):
            if (folder / part).is_dir():
                _copy(folder / part, target / part)
        return str(folder)
    if mirror and archive.is_file():
        content, came_from = archive.read_bytes(), str(archive)
    else:
        content, came_from = _download(source, silent), source.address
    try:
        with tarfile.open(fileobj=io.BytesIO(content)) as tar:
            _extract(tar, _wanted(tar, source.part), target)
    except (tarfile.TarError, EOFError, OSError) as error:
        remedy = "replace it by a tar archive of one folder"
        raise InputError(came_from, "", f"cannot be unpacked ({error})", remedy) from error
    return came_from


def _extract(tar: tarfile.TarFile, members: Iterable[tarfile.TarInfo], target: Path) -> None:
    """Write the members below `target`; refuse one that leads outside.

    Debian 12's Python 3.11.2 has no filters of members. There a link is refused, too.

    Raises:
        tarfile.TarError: a member leads outside, or is no file and no folder.
    """
    if hasattr(tarfile, "data_filter"):
        tar.extractall(target, members, filter="data")
    else:
        tar.extractall(target, (_plain(member) for member in members))


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Return the file or folder as the present user's own, with usual permissions."""
    path = PurePosixPath(member.name)
    if path.is_absolute() or ".." in path.parts or not (member.isfile() or member.isdir()):
        raise tarfile.ReadError(f"'{member.name}' is no file inside of its folder")
    member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
    member.uid, member.gid, member.uname, member.gname = os.getuid(), os.getgid(), "", ""
    return member


def _copy(folder: Path, target: Path) -> None:
    no_history = shutil.ignore_patterns(".git")
    shutil.copytree(folder, target, symlinks=True, dirs_exist_ok=True, ignore=no_history)


def _wanted(tar: tarfile.TarFile, part: tuple[str, ...]) -> Iterable[tarfile.TarInfo]:
    """Yield the members that count, without the archive's one outer folder."""
    for member in tar:
        name = member.name.partition("/")[2]
        if name and (not part or any(f"{name}/".startswith(f"{each}/") for each in part)):
            renamed = copy.copy(member)
            renamed.name = name
            yield renamed


def _download(source: Source, silent: set[str]) -> bytes:
    """Return the archive at the source's address."""
    host = urllib.parse.urlsplit(source.address).netloc
    try:
        if host in silent:
            raise OSError("its host did not answer before")
        with urllib.request.urlopen(source.address, timeout=TIMEOUT_S) as answer:
            content: bytes = answer.read(ARCHIVE_BYTES_MAX)
    except (OSError, HTTPException, ValueError) as error:
        if not isinstance(error, urllib.error.HTTPError):
            silent.add(host)
        raise Unavailable(
            source.address,
            "",
            f"cannot be fetched ({error})",
            f"put {source.name}.tar.gz into a folder and set THINWIRE_MIRROR to it",
        ) from error
    return content


def main(arguments: list[str], description: str | None) -> int:
    """Run the command firmware/libraries/fetch."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--mirror", default="")
    options = parser.parse_args(arguments)
    try:
        table = load()
        for name in options.names:
            if name not in table:
                raise InputError(TABLE, name, "no such library", nearest(name, sorted(table)))
        if options.list:
            _list(table)
            return 0
        return _fetch_all(table, options.names, options.mirror)
    except ThinwireError as error:
        return print_error(error)


def _list(table: dict[str, Source]) -> None:
    for source in table.values():
        state = "here" if source.here else "not at hand"
        print(f"{source.name:20} {source.library} {source.release}, {source.licence}: {state}")


def _fetch_all(table: dict[str, Source], names: list[str], mirror: str) -> int:
    """Fetch these libraries, or all."""
    status, missing = 0, []
    silent: set[str] = set()
    for name in names or table:
        try:
            fetch(table[name], mirror, silent)
        except Unavailable as error:
            missing.append(name)
            if names:
                status = print_error(error)
        except InputError as error:
            status = print_error(error)
    if missing and not names:
        print(
            f"libraries: {len(missing)} of {len(table)} are not at hand (neither in the mirror nor "
            f"at their address): {', '.join(missing)}",
            file=sys.stderr,
        )
    return status
