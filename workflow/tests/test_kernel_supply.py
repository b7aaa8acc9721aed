"""Where the kernel of the machine `uml` comes from, with one source after the other taken away.

Sources are small archives that only say where they lay, apt and the compiler are stand-ins; the
script, curl and apt's downloader are the real ones, and the servers are on this host.
"""

import contextlib
import http.server
import os
import pty
import re
import shutil
import subprocess
import threading
import zipfile
from functools import partial
from pathlib import Path

import pytest
from kernel_supply import ROOT, Supply


@pytest.fixture
def supply(tmp_path):
    return Supply(tmp_path)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def address(supply):
    handler = partial(Quiet, directory=supply.workdir / "www")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


# What the mirror has is the pool's file: the script does not care from where it was copied.
@pytest.mark.parametrize(
    ("away", "wanted"),
    [
        ([], "pool"),
        (["mirror"], "pool"),
        (["mirror", "pool"], "kernel.org"),
        (["mirror", "pool", "kernel.org"], "package"),
        (["pool", "kernel.org", "package"], "pool"),
    ],
    ids=["all-there", "no-mirror", "no-pool", "no-kernel.org", "mirror-alone"],
)
def test_the_next_source_takes_the_place_of_one_that_is_away(supply, address, away, wanted):
    for name in away:
        supply.files[name].unlink()
    done = supply.build(address)
    assert done.returncode == 0, done.stderr
    assert supply.made_of() == wanted


def test_a_host_that_cannot_be_reached_is_a_source_that_is_away(supply):
    supply.files["mirror"].unlink()
    done = supply.build("http://127.0.0.1:9")
    assert done.returncode == 0 and supply.made_of() == "package"


@pytest.mark.parametrize("damaged", ["mirror", "pool"])
def test_a_damaged_file_is_a_source_that_is_away(supply, address, damaged):
    if damaged == "pool":
        supply.files["mirror"].unlink()
    supply.files[damaged].write_bytes(b"something else")
    assert supply.build(address).returncode == 0
    assert supply.made_of() == {"mirror": "pool", "pool": "kernel.org"}[damaged]


def test_without_any_source_setup_goes_on_and_says_so_once(supply, address):
    for path in supply.files.values():
        path.unlink()
    done = supply.build(address)
    assert done.returncode == 0
    notes = [line for line in done.stderr.splitlines() if "in 'qemu', slower" in line]
    assert len(notes) == 1 and "set THINWIRE_MIRROR" in notes[0]
    assert "its source cannot be had" in (supply.workdir / "build/uml/why").read_text()
    assert not (supply.workdir / "build/uml/linux").exists()


def test_a_kernel_that_does_not_compile_is_no_failure_of_the_setup(supply, address):
    (supply.workdir / "bin" / "make").write_text("#!/bin/sh\necho no such luck >&2; exit 2\n")
    done = supply.build(address)
    assert done.returncode == 0 and "no such luck" in done.stderr
    assert "it does not compile" in (supply.workdir / "build/uml/why").read_text()


def test_what_is_built_is_not_built_again(supply, address):
    assert supply.build(address).returncode == 0
    for path in supply.files.values():
        path.unlink()
    done = supply.build(address)
    assert done.returncode == 0 and done.stderr == ""


# A make that prints a line for each of 300 files, about half of a kernel's, and takes a while.
HALF = """#!/bin/sh
case "$*" in
*allnoconfig*) mkdir -p include/config && cp SOURCE include/config/kernel.release ;;
*) sleep 1; for n in $(seq 300); do echo "  CC      $n.o"; done; sleep 1; cp /bin/true linux ;;
esac
"""


def test_on_a_terminal_the_bar_ends_with_the_kernel(supply, address):
    main, side = pty.openpty()
    (supply.workdir / "bin/make").write_text(HALF, encoding="utf-8")
    parts: list[bytes] = []

    def read() -> None:
        with contextlib.suppress(OSError):  # what a terminal without another side answers
            while part := os.read(main, 1000):
                parts.append(part)

    reader = threading.Thread(target=read)
    reader.start()
    status = supply.build(address, stderr=side).returncode
    os.close(side)
    reader.join()
    said = b"".join(parts)
    assert status == 0
    assert re.search(rb"\rsetup: kernel: 4\d %, about \d+ s left *\r\n", said)
    assert re.search(rb"setup: kernel: \d+ s\r\n$", said)


def test_elsewhere_each_quarter_has_a_line(supply, address):
    (supply.workdir / "bin/make").write_text(HALF, encoding="utf-8")
    said = supply.build(address).stderr.splitlines()
    assert [line.split(",")[0] for line in said if " left" in line] == ["setup: kernel: 25 %"]


def test_percentages_of_no_use_are_left_out():
    words = ["0", "12.7", "x", "", "-3", "50.9", "51", "100", "80"]
    done = subprocess.run(
        [ROOT / "setup" / "progress", "packages"],
        input="\n".join([*words, ""]),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.splitlines() == [
        "setup: packages: 50 %, about 0 s left",
        "setup: packages: 80 %, about 0 s left",
    ]


def wheel_of(supply: Supply) -> Path:
    """A wheel in the mirror with the kernel that was built here. All sources are away."""
    wheel = supply.workdir / "mirror" / "thinwire-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in (supply.workdir / "build/uml").iterdir():
            archive.write(path, f"thinwire_lab/build/uml/{path.name}")
    shutil.rmtree(supply.workdir / "build/uml")
    for path in supply.files.values():
        path.unlink()
    return wheel


def test_a_wheel_of_the_same_sources_has_the_kernel_built(supply, address):
    assert supply.build(address).returncode == 0
    built = (supply.workdir / "build/uml/linux").read_bytes()
    wheel_of(supply)
    (supply.workdir / "bin/cc").write_text("#!/bin/sh\necho another compiler\n", encoding="utf-8")
    done = supply.build(address)
    assert "taking the kernel of the machine 'uml' from thinwire-1-py3-none-any.whl" in done.stderr
    assert (supply.workdir / "build/uml/linux").read_bytes() == built
    assert supply.build(address).stderr == ""


@pytest.mark.parametrize("name", ["linux", "info.json", "setup/uml/lab.c", "the wheel"])
def test_a_wheel_that_is_damaged_or_of_other_sources_is_left_alone(supply, address, name):
    assert supply.build(address).returncode == 0
    for path in (supply.workdir / "build/uml" / name, supply.workdir / name):
        if path.exists():
            path.write_bytes(path.read_bytes()[:-1] + b"!")
    wheel = wheel_of(supply)
    if name == "the wheel":
        wheel.write_bytes(wheel.read_bytes()[:-30])
    done = supply.build(address)
    assert done.returncode == 0 and "its source cannot be had" in done.stderr


def cached(supply: Supply, address: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Get the kernel in a checkout that has none, with the cache of its user."""
    shutil.rmtree(supply.workdir / "build", ignore_errors=True)
    return supply.build(address, script="get", HOME=str(supply.workdir / "home"), **more)


def test_checkouts_share_the_kernel_of_one_digest(supply, address):
    assert cached(supply, address).returncode == 0
    files = {path.name: path.read_bytes() for path in (supply.workdir / "build/uml").iterdir()}
    for path in supply.files.values():
        path.unlink()
    done = cached(supply, address)
    assert done.returncode == 0, done.stderr
    (kept,) = (supply.workdir / "home/.cache/thinwire/uml").iterdir()
    assert done.stderr == f"setup: taking the kernel of the machine 'uml' from {kept}\n"
    again = {path.name: path.read_bytes() for path in (supply.workdir / "build/uml").iterdir()}
    assert again == files and kept.name == files["inputs"].decode().strip()


@pytest.mark.parametrize("change", ["compiler", "sources", "damage"])
def test_a_kernel_of_another_digest_or_damaged_is_not_taken(supply, address, change):
    assert cached(supply, address).returncode == 0
    (kept,) = (supply.workdir / "home/.cache/thinwire/uml").iterdir()
    name = {"compiler": "bin/cc", "sources": "setup/uml/lab.c", "damage": f"{kept}/linux"}[change]
    (supply.workdir / name).write_text("#!/bin/sh\necho another one\n", encoding="utf-8")
    done = cached(supply, address)
    assert "compiling the kernel" in done.stderr and "taking" not in done.stderr
    assert supply.made_of() == "pool"


@pytest.mark.parametrize(
    ("more", "said"),
    [({"THINWIRE_CACHE": ""}, ""), ({"THINWIRE_CACHE": "/proc/none"}, "/proc/none cannot be")],
)
def test_without_a_cache_the_kernel_is_built(supply, address, more, said):
    done = cached(supply, address, **more)
    assert done.returncode == 0 and said in done.stderr and supply.made_of() == "pool"
    assert not (supply.workdir / "home").exists()


def test_the_cache_keeps_the_newest_kernels(supply, address):
    for number in range(7):
        (supply.workdir / "bin/cc").write_text(f"#!/bin/sh\necho {number}\n", encoding="utf-8")
        assert cached(supply, address).returncode == 0
    newest = (supply.workdir / "build/uml/inputs").read_text(encoding="utf-8").strip()
    kept = [path.name for path in (supply.workdir / "home/.cache/thinwire/uml").iterdir()]
    assert len(kept) == 5 and newest in kept


def test_another_processor_is_set_up_without_a_kernel(tmp_path):
    """A host with boards may be a Raspberry Pi; its virtual machines are x86-64 ones."""
    shutil.copytree(ROOT / "setup", tmp_path / "setup", ignore=shutil.ignore_patterns("boards"))
    for line in (ROOT / "setup/sources.txt").read_text(encoding="utf-8").splitlines():
        for name in ("lwip", "mbedtls", "libcoap3"):
            if f"/{name}_" in line:
                source = tmp_path / "build/src" / name
                source.mkdir(parents=True)
                (source / ".sha256").write_text(line.split()[0] + "\n", encoding="utf-8")
    program = tmp_path / "bin/uname"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho aarch64\n", encoding="utf-8")
    program.chmod(0o755)
    done = subprocess.run(
        [tmp_path / "setup/fetch"],
        env={"PATH": f"{program.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "no kernel for the virtual machines: this is no x86-64 machine" in done.stderr
    assert not (tmp_path / "build/kernel").exists()
