"""The names of boards: what udev makes of USB adapters with 70-thinwire.rules, and what systemd
makes of these names. udevadm and its other rules are the real ones; the tree below /sys is ours."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hil.tests.support.farm.farm import HOST

HUB = Path("devices/pci0000:00/0000:00:14.0/usb1/1-2")
CP2102, CH340 = ("10c4", "ea60"), ("1a86", "7523")


def node(path: Path, subsystem: str, uevent: str, **attributes: str) -> None:
    """A device of the tree."""
    path.mkdir(parents=True, exist_ok=True)
    (path / "uevent").write_text(uevent)
    root = next(each for each in path.parents if each.name == "sys")
    (root / subsystem).mkdir(parents=True, exist_ok=True)
    (path / "subsystem").symlink_to(root / subsystem)
    for name, value in attributes.items():
        (path / name).write_text(f"{value}\n")


def adapter(root: Path, number: int, ids: tuple[str, str], serial: str) -> str:
    """A USB adapter in the port `number` of a hub; the name of its device below /sys."""
    vendor, product = ids
    hub = root / HUB
    if not hub.exists():
        node(hub.parents[1], "bus/pci", "DRIVER=xhci_hcd\nPCI_SLOT_NAME=0000:00:14.0\n")
        for each, kind in ((hub.parent, "usb1"), (hub, "1-2")):
            node(each, "bus/usb", "DEVTYPE=usb_device\n", devpath=kind[-1])
    device = hub / f"1-2.{number}"
    node(
        device, "bus/usb", "DEVTYPE=usb_device\n", idVendor=vendor, idProduct=product,
        devpath=f"2.{number}", bDeviceClass="00", bcdDevice="0100",
        **({"serial": serial} if serial else {}),
    )  # fmt: skip
    interface = device / f"1-2.{number}:1.0"
    node(
        interface, "bus/usb", "DEVTYPE=usb_interface\n", bInterfaceNumber="00",
        bInterfaceClass="ff", bInterfaceSubClass="00", bInterfaceProtocol="00",
    )  # fmt: skip
    port = interface / f"ttyUSB{number}"
    node(port, "bus/usb-serial", "DRIVER=cp210x\n")
    uevent = f"MAJOR=188\nMINOR={number}\nDEVNAME=ttyUSB{number}\n"
    node(port / "tty" / f"ttyUSB{number}", "class/tty", uevent)
    return f"/{port.relative_to(root.parent)}/tty/ttyUSB{number}"


def udev(tmp_path: Path, device: str) -> dict[str, str]:
    """Properties that udev gives to a device, and LINKS, as `udevadm test` prints them."""
    rules = tmp_path / "run/udev/rules.d"
    rules.mkdir(parents=True, exist_ok=True)
    shutil.copy(HOST / "70-thinwire.rules", rules)
    mounts = [f"mount --bind {tmp_path}/{name} /{name}" for name in ("sys", "run")]
    mounts += ["mount -t tmpfs tmpfs /dev", "mknod /dev/null c 1 3"]  # for its links
    command = f"{' && '.join(mounts)} && exec udevadm test --action=add {device}"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", command],
        capture_output=True, text=True, check=False,
        env={**os.environ, "SYSTEMD_DEVICE_VERIFY_SYSFS": "0"},
    )  # fmt: skip
    return dict(re.findall(r"^(\w+)=(.*)$", done.stdout, re.MULTILINE)) or {"said": done.stderr}


@pytest.mark.parametrize(
    ("ids", "serials"), [(CP2102, ("0001", "0001")), (CH340, ("", ""))], ids=["CP2102", "CH340"]
)
def test_two_boards_of_one_number_have_a_name_and_a_server_each(
    tmp_path: Path, ids: tuple[str, str], serials: tuple[str, str]
) -> None:
    devices = [adapter(tmp_path / "sys", at, ids, each) for at, each in enumerate(serials, 1)]
    found = [udev(tmp_path, device) for device in devices]
    links = [re.findall(r"/dev/thinwire/([^/ ]+)(?= |$)", each["DEVLINKS"]) for each in found]
    assert [len(each) for each in links] == [1, 1], found
    names = [name for (name,) in links]
    assert len(set(names)) == 2
    # whenever the device appears, systemd starts this
    assert [each["SYSTEMD_WANTS"] for each in found] == [
        f"thinwire-serial@{name}.service" for name in names
    ]


def test_a_number_is_a_link_beside_the_name(tmp_path: Path) -> None:
    device = adapter(tmp_path / "sys", 3, CP2102, "00A1B2C3")
    assert "/dev/thinwire/by-number/00A1B2C3" in udev(tmp_path, device)["DEVLINKS"].split()


@pytest.mark.parametrize("ids", [CP2102, CH340], ids=["CP2102", "CH340"])
def test_a_service_is_bound_to_the_device_of_its_name(tmp_path: Path, ids: tuple[str, str]) -> None:
    """systemd's own name of the link is the one that the unit waits for."""
    found = udev(tmp_path, adapter(tmp_path / "sys", 1, ids, ""))
    (name,) = re.findall(r"/dev/thinwire/([^/ ]+)", found["DEVLINKS"])
    escape = ["systemd-escape", "--path", "--suffix=device", f"/dev/thinwire/{name}"]
    device = subprocess.run(escape, capture_output=True, text=True, check=True).stdout.strip()
    unit = (HOST / "thinwire-serial@.service").read_text()
    bound = re.findall(r"^BindsTo=(.*)$", unit, re.MULTILINE)
    assert [each.replace("%i", name) for each in bound] == [device]


def test_a_board_without_a_port_has_no_server() -> None:
    """... and no failed service, either."""
    unit = (HOST / "thinwire-serial@.service").read_text()
    assert "\nConditionPathExists=/etc/thinwire/serial/%i\n" in unit
