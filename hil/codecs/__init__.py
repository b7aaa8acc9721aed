"""Thin codecs of the protocols that the laboratory itself speaks: bytes to packets, no I/O."""
