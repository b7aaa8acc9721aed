"""Bundles of trials: store, read, verify, compare. Messages are found in the payloads of packets.

Imports: base, design, system.
Open first: `store.py`.
"""
