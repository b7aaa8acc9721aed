"""Crates of bundles: RO-Crates of the profile Workflow Run Crate, written, packed and read."""
