"""package.py clients|servers NAME OUT: build a client or a server of the league, and pack it.

OUT is a tar archive, the package of hil/machine/package.py. Exit status 2 if it cannot be built.
"""

import argparse
from pathlib import Path

from hil.base.errors import InputError, ThinwireError, print_error
from hil.commands import tries
from hil.design import league
from hil.machine.package import package

_READ = {"clients": league.client, "servers": league.server}
_KEYS = {"clients": "device", "servers": "server"}


def pack(kind: str, name: str, out: Path) -> None:
    """Build and pack one.

    Raises:
        InputError: it cannot be built, or is firmware of this project.
    """
    member = _READ[kind](name)
    if member.build:
        tries.build(member.path, member.build)
    if member.part is None:
        raise InputError(
            member.path, "device", "is firmware of this project", "it needs no package"
        )
    package(member.part.device, member.path.parent, out, member.part.files, _KEYS[kind])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=sorted(_READ))
    parser.add_argument("name")
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    try:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        pack(options.kind, options.name, options.out)
    except ThinwireError as error:
        return print_error(error)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
