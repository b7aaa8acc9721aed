"""Where trials run: in a virtual machine, live in namespaces of this host, or on physical boards.

Imports: base, bundle, design, machine, rig, system.
Open first: `runner.py`.
"""
