"""Does the flake evaluate, and does it give the same tools as the apt list?

Nothing can be built without a network, so the flake is evaluated against a stub of nixpkgs that
knows only attributes that were looked up in the real one.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STUB = Path(__file__).resolve().parent / "stub-nixpkgs"


@pytest.fixture(scope="module")
def evaluate(tmp_path_factory):
    """Evaluate an attribute of the flake as JSON in a store of its own."""
    assert shutil.which("nix"), "nix is missing: install nix-bin (setup/tests/apt.txt)"
    workdir = tmp_path_factory.mktemp("nix")
    source = workdir / "flake"
    source.mkdir()
    for name in ("flake.nix", "flake.lock", "nix", "setup"):
        path = ROOT / name
        (shutil.copytree if path.is_dir() else shutil.copy)(path, source / name)
    stub = shutil.copytree(
        STUB, workdir / "stub"
    )  # the path of a clone may have a blank, no URL has
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(workdir),
        "NIX_STORE_DIR": str(workdir / "store"),
        "NIX_STATE_DIR": str(workdir / "var"),
        "NIX_LOG_DIR": str(workdir / "log"),
        "NIX_CONFIG": "experimental-features = nix-command flakes\nsubstituters =\n"
        "build-users-group =\nflake-registry = ",
    }

    def run(attribute, apply):
        command = ["nix", "eval", "--json", "--no-write-lock-file"]
        command += ["--override-input", "nixpkgs", f"path:{stub}"]
        command += ["--override-input", "paho-mqtt-sn", f"path:{stub}"]
        command += [f"path:{source}#{attribute}", "--apply", apply]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def test_the_shell_has_every_tool_of_the_apt_list(evaluate):
    names = evaluate("devShells.x86_64-linux.default", "s: map (p: p.name or p.pname) s.packages")
    lists = [ROOT / "setup" / name / "apt.txt" for name in ("", "paper", "tests")]
    for line in "".join(path.read_text(encoding="utf-8") for path in lists).splitlines():
        package, attribute = line.split(" ")
        if attribute.startswith(("rPackages.", "texlive.")):
            continue
        own = {"gdb": "gdb-multiarch", "lx106": "lx106-toolchain"}
        wanted = own.get(attribute, attribute.rpartition(".")[2])
        assert wanted in names, f"{package}: {attribute} is not in the development shell"


def test_the_shell_has_the_command_line(evaluate):
    names = evaluate("devShells.x86_64-linux.default", "s: map (p: p.name or p.pname) s.packages")
    assert {"thinwire", "snakemake", "ruff", "snakefmt", "esptool"} <= set(names)


def test_r_packages_and_tex_collections_reach_the_shell(evaluate):
    inner = evaluate(
        "devShells.x86_64-linux.default",
        "s: builtins.concatMap (p: map (q: q.name) (p.packages or [])) s.packages",
    )
    python = {"aiocoap", "labgrid", "rocrate"}
    assert {"data_table", "ggplot2", "collection-latexextra"} | python <= set(inner)


def test_the_python_package_that_nixpkgs_lacks_is_the_pinned_one(evaluate):
    sources = evaluate(
        "devShells.x86_64-linux.default",
        's: let crates = builtins.filter (p: p.name == "rocrate")'
        " (builtins.concatMap (p: p.packages or []) s.packages);"
        " own = crates ++ builtins.concatMap (p: p.dependencies) crates;"
        " in map (p: { inherit (p.src) pname version sha256; }) (builtins.filter (p: p ? src) own)",
    )
    pins = (ROOT / "setup/requirements.txt").read_text(encoding="utf-8").replace("\\\n", "")
    for source in sources:
        [pin] = [line for line in pins.splitlines() if line.startswith(f"{source['pname']}==")]
        assert pin.startswith(f"{source['pname']}=={source['version']} ")
        assert source["sha256"] in pin
    assert {source["pname"] for source in sources} == {"rocrate", "arcp"}


@pytest.mark.parametrize("name", ["bearssl", "libcoap3", "lwip", "mbedtls"])
def test_sources_come_from_the_pinned_files(evaluate, name):
    source = evaluate(f"packages.x86_64-linux.{name}-source", "p: { inherit (p) url sha256; }")
    pins = (ROOT / "setup/sources.txt").read_text(encoding="utf-8")
    assert source["url"].startswith("mirror://debian/pool/")
    assert source["sha256"] in pins


def test_the_kernel_comes_from_the_pinned_file(evaluate):
    source = evaluate("packages.x86_64-linux.linux-source", "p: { inherit (p) url sha256; }")
    pins = (ROOT / "setup/uml/sources.txt").read_text(encoding="utf-8")
    path = source["url"].removeprefix("mirror://kernel/linux/kernel/")
    assert f"{source['sha256']} {path}\n" in pins


def test_every_package_has_a_derivation(evaluate):
    names = evaluate("packages.x86_64-linux", "s: builtins.mapAttrs (n: p: p.drvPath) s")
    names_of_sources = ("bearssl", "libcoap3", "linux", "lwip", "mbedtls")
    sources = {f"{name}-source" for name in names_of_sources}
    tools = {"container", "default", "lx106-toolchain", "paho-mqtt-sn-gateway"}
    assert set(names) == sources | tools


def test_the_gateway_is_installed_with_its_library(evaluate, tmp_path):
    package = evaluate(
        "packages.x86_64-linux.paho-mqtt-sn-gateway", "p: { inherit (p) installPhase cmakeFlags; }"
    )
    assert any(flag.startswith("-DCMAKE_INSTALL_RPATH=") for flag in package["cmakeFlags"])
    # what its build leaves, by its own CMakeLists.txt
    built = ("MQTTSNGateway/bin/MQTT-SNGateway", "build/MQTTSNPacket/src/libMQTTSNPacket.so")
    for name in built:
        workdir = tmp_path / "source" / name
        workdir.parent.mkdir(parents=True)
        workdir.write_text("")
        workdir.chmod(0o755)
    (tmp_path / "source/MQTTSNGateway/src/MQTT-SNGateway.dir").mkdir(parents=True)
    command = ["bash", "-euc", package["installPhase"]]
    environment = {"PATH": os.environ["PATH"], "out": str(tmp_path / "out")}
    subprocess.run(command, cwd=tmp_path / "source/build", env=environment, check=True)
    installed = {str(path.relative_to(tmp_path / "out")) for path in tmp_path.glob("out/*/*")}
    assert installed == {"bin/MQTT-SNGateway", "lib/libMQTTSNPacket.so"}


def test_a_host_with_boards_has_its_services(tmp_path):
    """The module's units are those of setup/boards/host, with every program from nixpkgs, but for
    GitHub's runner and the firewall, which NixOS has."""
    text = f"""
      let
        pkgs = ((import {STUB}/flake.nix).outputs {{ self = null; }}).legacyPackages.x86_64-linux;
        config.services.thinwire-boards = {{
          enable = true; cells = [ "cell1" ]; serial."0001" = 7801;
          runner = {{ url = "https://github.com/owner/name"; tokenFile = "/token"; }};
        }};
        module = import {ROOT}/nix/boards.nix {{ inherit config pkgs; inherit (pkgs) lib; }};
      in {{
        units = builtins.listToAttrs (
          map (u: {{ name = u.name; value = u.text; }}) module.config.systemd.packages);
        wants = module.config.systemd.targets.multi-user.wants;
        port = module.config.environment.etc."thinwire/serial/0001".text;
        udev = module.config.services.udev.extraRules;
        runner = module.config.services.github-runners;
        firewall = module.config.networking.firewall.enable;
      }}"""
    (tmp_path / "module.nix").write_text(text.replace(f"{ROOT}", "ROOT"), encoding="utf-8")
    (tmp_path / "ROOT").symlink_to(ROOT)
    written = (tmp_path / "module.nix").read_text().replace("ROOT", "./ROOT")
    (tmp_path / "module.nix").write_text(written, encoding="utf-8")
    command = ["nix-instantiate", "--eval", "--strict", "--json", str(tmp_path / "module.nix")]
    environment = {
        "PATH": os.environ["PATH"],
        "NIX_STORE_DIR": str(tmp_path / "store"),
        "NIX_STATE_DIR": str(tmp_path / "var"),
        "NIX_LOG_DIR": str(tmp_path / "log"),
        "HOME": str(tmp_path),
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    here = {path.name: path.read_text() for path in (ROOT / "setup/boards/host").glob("*.service")}
    theirs = {f"thinwire-{name}.service" for name in ("firewall", "runner", "runner-ticket")}
    assert set(found["units"]) == set(here) - theirs
    for name, unit in found["units"].items():
        assert "/opt/thinwire" not in unit
        assert unit.count("\n") == here[name].count("\n")
    started = {f"{name}.service" for name in ("labgrid-coordinator", "labgrid-exporter")}
    assert set(found["wants"]) == started | {"thinwire-cell@cell1.service"}
    assert found["port"] == "PORT=7801\n"
    # udev starts the lines, also those of boards that are plugged in again
    rules = (ROOT / "setup/boards/host/70-thinwire.rules").read_text()
    for word in ('SYMLINK+="thinwire/%c"', 'ENV{SYSTEMD_WANTS}+="thinwire-serial@%c.service"'):
        assert word in rules and word in found["udev"]
    assert not re.search(r"[\s\"]/bin", found["udev"]) and "| /" in found["udev"]
    assert found["firewall"]
    own = found["runner"]["thinwire"]
    assert own["ephemeral"] and own["user"] == "thinwire" and own["tokenFile"] == "/token"
    assert own["extraLabels"] == ["self-hosted", "thinwire-boards"]
    denied = " ".join(own["serviceOverrides"]["IPAddressDeny"])
    assert f"IPAddressDeny={denied}\n" in here["thinwire-runner.service"]


def test_the_lock_pins_every_input_by_revision_and_hash():
    lock = json.loads((ROOT / "flake.lock").read_text(encoding="utf-8"))
    for name in lock["nodes"]["root"]["inputs"].values():
        locked = lock["nodes"][name]["locked"]
        assert len(locked["rev"]) == 40
        assert locked["narHash"].startswith("sha256-")
