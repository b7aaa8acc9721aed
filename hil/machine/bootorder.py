"""Kernel modules that the machine loads at boot, each after those it depends on."""

BOOT_ORDER = ("llc", "stp", "bridge", "veth", "tun", "sch_netem")
