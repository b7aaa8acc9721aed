"""A checkout whose kernel can come from several places, for tests of set-up's script."""

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
POOL, KERNEL_ORG = "pool/main/l/linux/linux_1.orig.tar.xz", "v6.x/linux-1.tar.xz"
PACKAGE = "linux-source-6.18"
STAND_INS = {
    "apt-get": """\
case "$1" in
indextargets) echo "$POOL_SERVER/" ;;
download) cp "$PACKAGES/$3_1_all.deb" . ;;
esac
""",
    "apt-cache": '[ -e "$PACKAGES/$2_1_all.deb" ]',
    # the kernel: a program, and a release that is what the source says of itself
    "make": """\
case "$*" in
*allnoconfig*) mkdir -p include/config && cp SOURCE include/config/kernel.release ;;
*) cp /bin/true linux ;;
esac
""",
    "cc": "echo a compiler",
    "flex": "",
    "bison": "",
    "bc": "",
}


def archive(path: Path, name: str) -> None:
    """A source that says its name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    said = path.with_name("SOURCE")
    said.write_text(name, encoding="utf-8")
    with tarfile.open(path, "w:xz") as tar:
        tar.add(said, "linux-1/SOURCE")
    said.unlink()


class Supply:
    """A checkout with set-up's script, and all places that it looks into."""

    def __init__(self, workdir: Path) -> None:
        self.workdir = workdir
        self.files = {
            "mirror": workdir / "mirror" / Path(POOL).name,
            "pool": workdir / "www" / POOL,
            "kernel.org": workdir / "www" / KERNEL_ORG,
            "package": workdir / "packages" / f"{PACKAGE}_1_all.deb",
        }
        for name in ("pool", "kernel.org"):
            archive(self.files[name], name)
        self.files["mirror"].parent.mkdir()
        shutil.copy(self.files["pool"], self.files["mirror"])
        self._package()
        shutil.copytree(ROOT / "setup" / "uml", workdir / "setup" / "uml")
        shutil.copy(ROOT / "setup" / "progress", workdir / "setup")
        (workdir / "setup" / "uml" / "edit.py").write_text("", encoding="utf-8")
        listed = {POOL: "pool", KERNEL_ORG: "kernel.org"}
        (workdir / "setup" / "uml" / "sources.txt").write_text(
            "".join(
                f"{hashlib.sha256(self.files[name].read_bytes()).hexdigest()} {path}\n"
                for path, name in listed.items()
            ),
            encoding="utf-8",
        )
        for name, code in STAND_INS.items():
            program = workdir / "bin" / name
            program.parent.mkdir(exist_ok=True)
            program.write_text(f"#!/bin/sh\n{code}\n", encoding="utf-8")
            program.chmod(0o755)

    def _package(self) -> None:
        tree = self.workdir / "tree"
        archive(tree / "usr" / "src" / f"{PACKAGE}.tar.xz", "package")
        (tree / "DEBIAN").mkdir()
        (tree / "DEBIAN" / "control").write_text(
            f"Package: {PACKAGE}\nVersion: 1\nArchitecture: all\nMaintainer: x\nDescription: x\n",
            encoding="utf-8",
        )
        self.files["package"].parent.mkdir()
        subprocess.run(
            ["dpkg-deb", "--build", tree, self.files["package"]], check=True, capture_output=True
        )

    def build(
        self, address: str, stderr: int = subprocess.PIPE, script: str = "build", **more: str
    ) -> subprocess.CompletedProcess[str]:
        """Run set-up's script with more variables, and with a web server at that address."""
        environment = {
            "PATH": f"{self.workdir}/bin:{os.environ['PATH']}",
            "PACKAGES": self.workdir / "packages",
            "THINWIRE_MIRROR": self.workdir / "mirror",
            "POOL_SERVER": address,
            "THINWIRE_KERNEL_ORG": address,
            **more,
        }
        return subprocess.run(
            [self.workdir / "setup" / "uml" / script],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            check=False,
        )

    def made_of(self) -> str:
        info = self.workdir / "build" / "uml" / "info.json"
        return json.loads(info.read_text(encoding="utf-8"))["release"]
