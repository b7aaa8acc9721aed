"""A root file system under construction, for a package: files of this host at their targets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from hil.base.errors import InputError
from hil.design.device import FOLDER
from hil.machine import elf

# Folders that the loader searches by itself.
_USUAL = ("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/nix/store/")
# Where programs are found without a path (hil/system/container.py).
_PROGRAMS = ("/usr/local/bin", "/usr/bin", "/bin")
Content = Path | bytes | str | None


class RootFs:
    """Targets without a leading slash, each a file, a text (bytes), the target of a symbolic link
    (str), or None for a folder.

    Attributes:
        search: folders of the package in which the loader does not look by itself.
        folders: of this host in which it also looks (LD_LIBRARY_PATH).
    """

    def __init__(self, own: Path, folders: str = "") -> None:
        self._own, self._folders = own, folders
        self._content: dict[str, Content] = {}
        self._loader: Path | None = None
        self.search: set[str] = set()

    @property
    def is_glibc(self) -> bool:
        """Whether its programs use the GNU C library as a shared one."""
        return self._loader is not None and self._loader.name.startswith("ld-linux")

    def place(self, path: Path) -> str:
        """Return the path in the package of a file of this host."""
        if path.is_relative_to(self._own):
            return f"{FOLDER}/{path.relative_to(self._own)}"
        return str(path)

    def add(self, source: Path, target: str = "") -> None:
        """Add a file of this host, at the path that `place` returns without `target`."""
        self._content[(target or self.place(source)).lstrip("/")] = source

    def link(self, name: str, target: str) -> None:
        """Add a symbolic link, unless it would be its own target."""
        if name != target:
            self._content.setdefault(name.lstrip("/"), target)

    def text(self, name: str, text: str) -> None:
        """Add a text, unless the file exists."""
        self._content.setdefault(name, text.encode())

    def folder(self, name: str) -> None:
        """Add a folder."""
        self._content.setdefault(name.lstrip("/"), None)

    def add_at(self, path: Path, real: Path | None = None) -> None:
        """Add a program, so that it is found at `path` and by its name on PATH."""
        real = real or path.resolve()
        self.add(real)
        self.link(self.place(path), self.place(real))
        found = self.place(path)
        usual = {f"{folder}/{path.name}" for folder in _PROGRAMS}
        if found not in usual and not path.is_relative_to(self._own):
            self.link(f"/usr/bin/{path.name}", found)

    def add_elf(self, path: Path, source: Path, key: str) -> None:
        """Add an ELF program with its loader and libraries; `source` and `key` are for messages.

        Raises:
            InputError: it is for another machine, or its loader or a library is missing.
        """
        with path.open("rb") as file:
            found = elf.machine(file.read(20))
        if found != elf.X86_64:
            remedy = "build it for Linux on x86-64, the laboratory's machine"
            raise InputError(source, key, f"'{path.name}' is a program for {found}", remedy)
        self.add(path)
        loader = elf.interpreter(path)
        if loader is None:
            return
        if not loader.exists():
            problem = f"'{path.name}' needs the loader {loader}, which is not here"
            raise InputError(source, key, problem, "install its C library, or link it statically")
        self.add(loader)
        self._loader = loader
        try:
            self.add_libraries(path)
        except InputError as error:
            problem = f"'{path.name}' needs the library '{error.key}', which is not here"
            if not error.key:
                problem = f"'{path.name}': {error.problem}"
            remedy = "install it, or set LD_LIBRARY_PATH in the environment of the device"
            raise InputError(source, key, problem, remedy) from error

    def add_libraries(self, path: Path) -> None:
        """Add the libraries that an ELF file needs, if its programs use the GNU C library.

        Raises:
            InputError: one is missing; its key is the name.
        """
        if not self.is_glibc or self._loader is None:
            return
        for found in elf.needed(path.absolute(), self._loader, self._folders):
            # $ORIGIN/../lib in a program leaves `..` in the path.
            library = found.parent.resolve() / found.name if ".." in found.parts else found
            self.add(library)
            place = self.place(library)
            if not place.startswith(_USUAL):
                self.search.add(str(PurePosixPath(place).parent))
            unwinder = library.with_name("libgcc_s.so.1")
            if library.name == "libc.so.6" and unwinder.exists():
                self.add(unwinder)  # the C library opens it by name when a thread ends

    def add_libraries_of(self, files: list[Path]) -> None:
        """Add the libraries of those files that are ELF for this machine. What one of them lacks is
        no error: folders hold variants for several systems, of which a program uses one."""
        for path in files:
            with path.open("rb") as file:
                head = file.read(20)
            if head[:4] == elf.MAGIC and elf.machine(head) == elf.X86_64:
                try:
                    self.add_libraries(path)
                except InputError:
                    continue

    def add_libraries_of_files(self, below: Path) -> None:
        """Call `add_libraries_of` for all files of the folder `below` that it has."""
        found = [path for path in self._content.values() if isinstance(path, Path)]
        self.add_libraries_of([path for path in found if path.is_relative_to(below)])

    def sizes(self) -> tuple[str, int]:
        """Return the largest folder, two levels deep, with its size, and the size of all, bytes."""
        folders: dict[str, int] = {}
        for name, content in self._content.items():
            if isinstance(content, Path):
                part = "/" + "/".join(name.split("/")[:2])
                folders[part] = folders.get(part, 0) + content.stat().st_size
        largest = max(folders, key=lambda part: folders[part], default="/")
        return f"{largest}, {folders.get(largest, 0) >> 20} MiB", sum(folders.values())

    def sorted(self) -> Iterator[tuple[str, Content]]:
        """Yield all entries, each folder before its contents."""
        complete = dict(self._content)
        for name in self._content:
            for parent in PurePosixPath(name).parents:
                if str(parent) != ".":
                    complete.setdefault(str(parent), None)
        yield from sorted(complete.items())
