"""What every room may use: errors, paths, strict documents, schemas, registries.

It imports no other room.

Open first: `errors.py`.
"""
