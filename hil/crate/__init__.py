"""Crates of bundles: write, pack and read RO-Crates of the profile Workflow Run Crate.

Imports: base, bundle, design, system.
Open first: `layout.py`.
"""
