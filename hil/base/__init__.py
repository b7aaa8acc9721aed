"""What every room may use: errors, paths, strict documents, schemas, registries.

Imports: no other room.
Open first: `errors.py`.
"""
