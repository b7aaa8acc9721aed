"""The test certificates of data/tls: the good ones are good, each bad one is bad in its own way."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hil.base.paths import ROOT

DATA = ROOT / "data/tls"
NAME = "server.thinwire.test"
REFUSED = {
    "ec/expired": "certificate has expired",
    "ec/future": "certificate is not yet valid",
    "ec/wrong_name": "hostname mismatch",
    "ec/self_signed": "self-signed certificate",
    "ec/untrusted": "unable to get local issuer certificate",
    "ec/server_as_client": "unsuitable certificate purpose",
}


def verify(folder: Path, leaf: str, name: str = NAME, purpose: str = "sslserver") -> str:
    """OpenSSL's error about a certificate and its chain; empty if it is valid."""
    root, certificate = folder / Path(leaf).parent / "root.pem", folder / f"{leaf}.pem"
    named = ["-verify_hostname", name] if name else []
    argv = ["openssl", "verify", "-CAfile", root, "-untrusted", certificate, "-purpose", purpose]
    run = subprocess.run([*argv, *named, certificate], capture_output=True, text=True, check=False)
    return "" if run.returncode == 0 else run.stderr.replace("self signed", "self-signed")


@pytest.fixture(scope="module", params=["kept", "made anew"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if request.param == "kept":
        return DATA
    anew = tmp_path_factory.mktemp("tls")
    subprocess.run([DATA / "make.sh", anew], check=True, capture_output=True)
    return anew


def test_good_chains_are_good(folder):
    for kind in ("ec", "rsa"):
        assert not verify(folder, f"{kind}/server")
        assert not verify(folder, f"{kind}/direct")
        assert not verify(folder, f"{kind}/client", name="", purpose="sslclient")
    assert not verify(folder, "ec/wrong_key")


def test_each_bad_one_is_refused_for_its_own_reason(folder):
    for leaf, reason in REFUSED.items():
        assert reason in verify(folder, leaf), leaf


def test_nothing_is_there_that_the_script_does_not_make(folder):
    def names(place: Path) -> set[Path]:
        return {file.relative_to(place) for file in place.rglob("*") if file.is_file()}

    assert names(DATA) - {Path("make.sh"), Path("README.md")} == names(folder) - {
        Path("make.sh"),
        Path("README.md"),
    }
