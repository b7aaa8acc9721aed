"""Does the licence list of a wheel name whatever the wheel's programs were made of?

The compilers' own records are read, so what is linked statically and libraries of headers count.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hil.base.errors import InputError
from hil.base.paths import ROOT
from hil.machine.flavours import flavours

sys.path.insert(0, str(ROOT / "setup" / "wheel"))

import compiled
import licences

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(not shutil.which("dpkg-query"), reason="needs a Debian system"),
]
BUILD = ROOT / "build"


def names(*programs: str) -> set[str]:
    return {one.name for one in licences.of_compiled(BUILD / name for name in programs)}


def test_a_library_of_headers_is_listed() -> None:
    """The cell reads its configuration by nlohmann's JSON, and checks keys by mbedTLS."""
    found = names("sim/air/air")
    assert {"nlohmann-json3-dev", "mbedtls", "libc6-dev"} <= found
    assert any(name.startswith("libstdc++-") for name in found)
    assert "lwip" not in found


def test_firmware_lists_its_c_library_its_compiler_and_what_was_fetched() -> None:
    found = names("firmware/lx106/thinwire-oscore.elf")
    assert {"lwip", "mbedtls", "gcc-xtensa-lx106", "picolibc-xtensa-lx106-elf"} <= found
    assert "libcoap3" not in found


@pytest.mark.parametrize(
    ("image", "some"),
    [
        ("common", {"dnsmasq-base", "mosquitto", "aiocoap", "tcpdump"}),
        ("amqp", {"erlang-base", "rabbitmq-server", "tcpdump"}),
    ],
)
def test_an_image_lists_what_serves(image: str, some: set[str]) -> None:
    assert some <= {one.name for one in licences.of_image(flavours()[image])}


def test_each_row_has_a_version_a_source_and_a_text() -> None:
    for one in licences.of_compiled([BUILD / "sim/air/air"]):
        assert one.version and one.source and len(one.text) > 200, one.name


def test_a_fetched_source_of_unknown_licence_ends_the_build(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(licences, "_TEXTS", {"mbedtls": "LICENSE"})
    with pytest.raises(InputError, match="lwip: is compiled in, under an unknown licence"):
        names("firmware/lx106/thinwire.elf")


def test_a_header_of_no_package_ends_the_build(tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("#define N 1\n", encoding="utf-8")
    (tmp_path / "own.c").write_text('#include "own.h"\nint main(void) { return N; }\n')
    (tmp_path / "build.ninja").write_text(
        "rule cc\n command = cc -MD -MF $out.d -c $in -o $out\n depfile = $out.d\n deps = gcc\n"
        "rule link\n command = cc $in -o $out\n"
        "build own.o: cc own.c\nbuild own: link own.o\n",
        encoding="utf-8",
    )
    subprocess.run(["ninja", "-C", tmp_path, "own"], check=True, capture_output=True)
    assert {tmp_path / "own.c", tmp_path / "own.h"} <= compiled.sources(tmp_path / "own")
    with pytest.raises(InputError, match=r"own\.[ch] belongs to no package that is known here"):
        licences.of_compiled([tmp_path / "own"])


def test_a_program_that_was_not_built_here_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is in no build of ninja"):
        compiled.sources(tmp_path / "program")


def test_a_build_that_was_copied_with_its_checkout_names_the_files_of_this_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As if build/sim had been made in another folder: its records name that folder's files."""
    air = BUILD / "sim/air/air"
    monkeypatch.setattr(compiled, "_made_in", lambda _: ROOT)
    was = compiled.sources(air)
    monkeypatch.undo()
    records = [
        f"    /elsewhere/{path.relative_to(ROOT)}" if path.is_relative_to(ROOT) else f"    {path}"
        for path in sorted(was)
    ]
    monkeypatch.setattr(compiled, "_made_in", lambda _: Path("/elsewhere"))
    monkeypatch.setattr(
        compiled, "_ninja", lambda _, tool, *__: records if tool == "deps" else ["main.cc.o"]
    )
    assert compiled.sources(air) == was
