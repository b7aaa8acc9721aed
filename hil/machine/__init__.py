"""The virtual machines in which a rig runs on virtual time: their image, snapshot and guest.

`uml/` is User-Mode Linux; the other modules build the image and run QEMU.
Imports: base, design, peers, rig, system.
Open first: `machines.py`.
"""
