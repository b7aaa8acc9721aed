"""Archives of bundles: RO-Crates of the profile Workflow Run Crate, written, packed and read.

Imports: base, bundle, design, system.
Open first: `layout.py`.
"""
