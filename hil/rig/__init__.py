"""The rig of one trial: it joins board, link, servers and capture. It knows no testbed.

`boards/` holds the devices, `links/` the networks between board and servers.
Imports: base, design, peers, system.
Open first: `rig.py`.
"""
