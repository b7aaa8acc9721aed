"""Kernel modules that the machine loads at boot, each after those it needs."""

BOOT_ORDER = ("llc", "stp", "bridge", "veth", "tun", "sch_netem")
