"""Find the files of RabbitMQ and of the Erlang runtime for the machine's image.

Both keep their absolute paths (below /usr/lib, or in the Nix store), which they contain.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from hil.base.errors import ToolMissing
from hil.system import tools

# The source of a library that is preloaded into the runtime.
AUX_THREAD = Path(__file__).with_name("auxthread.c")
_REMEDY = "run 'make' or 'apt-get install rabbitmq-server', or enter 'nix develop'"
_WANTED = {".beam", ".app", ".so", ".boot", ".script", ".ez"}
# Of the broker's plugins only those of its core are needed; no other one is enabled.
_NOT_CORE = re.compile(r"^rabbitmq_(?!prelaunch)")
# Folders of `link_code`.
MODULES, PLUGINS = "modules", "plugins"
_NOT_RUN = {"snmp", "tftp", "ftp", "erl_interface", "parsetools", "eldap"}


@dataclass(frozen=True)
class Installation:
    """Folders of Erlang, `root` (with erts-*/ and lib/), and RabbitMQ, `home` (with plugins/)."""

    root: Path
    home: Path

    @property
    def binaries(self) -> Path:
        """The folder of beam.smp and erlexec."""
        return sorted(self.root.glob("erts-*/bin"))[-1]


def find() -> Installation:
    """Find the installation on this host.

    Raises:
        ToolMissing: there is none.
    """
    erl = tools.find("erl")
    candidates = [
        *Path("/usr/lib/rabbitmq/lib").glob("rabbitmq_server-*"),
        *(
            Path(server).resolve().parents[1]
            for server in [tools.find("rabbitmq-server")]
            if server
        ),
    ]
    homes = [path for path in candidates if (path / "plugins").is_dir()]
    if erl is None or not homes:
        raise ToolMissing("rabbitmq-server", "AMQP trials", _REMEDY)
    root = next(
        (parent for parent in Path(erl).resolve().parents if list(parent.glob("erts-*/bin"))), None
    )
    if root is None:
        raise ToolMissing("erl", "AMQP trials", _REMEDY)
    return Installation(root, sorted(homes)[-1])


def _application(path: Path) -> str:
    """Return the name of an application's folder without its version: kernel for kernel-8.5.3."""
    return path.name.rpartition("-")[0] or path.name


def files(installed: Installation) -> list[Path]:
    """Return the files that a broker needs, sorted by path."""
    chosen = [
        installed.binaries / name
        for name in ("beam.smp", "erlexec", "erl_child_setup", "inet_gethost", "epmd")
    ]
    chosen += installed.root.glob("bin/*.boot")
    chosen += installed.root.glob("releases/*/*.boot")
    folders = [
        path for path in (installed.root / "lib").iterdir() if _application(path) not in _NOT_RUN
    ]
    folders += [
        path for path in (installed.home / "plugins").iterdir() if not _NOT_CORE.match(path.name)
    ]
    for folder in folders:
        inside = [folder] if folder.is_file() else folder.rglob("*")
        chosen += (
            path
            for path in inside
            if path.is_file() and (path.suffix in _WANTED or "priv" in path.parts)
        )
    return sorted({path for path in chosen if path.exists()})


def link_code(installed: Installation, folder: Path) -> None:
    """Make in `folder` MODULES, with a link to each compiled module of runtime and broker, and
    PLUGINS, with a link to the broker's core, where it finds the schema of its configuration.

    The runtime looks for each of 1500 modules in up to 90 folders, by system calls in a thread of
    their own. In MODULES, the first folder of its path, it finds each at once. The broker puts the
    folders of PLUGINS before MODULES, so PLUGINS has only one.
    """
    modules, plugins = folder / MODULES, folder / PLUGINS
    modules.mkdir()
    plugins.mkdir()
    for root in (installed.root / "lib", installed.home / "plugins"):
        for module in sorted(root.glob("*/ebin/*.beam")):
            (modules / module.name).symlink_to(module)
    for core in (installed.home / "plugins").glob("rabbit-*"):
        (plugins / core.name).symlink_to(core)
