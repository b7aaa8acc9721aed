"""Bundles: stored, read, verified. Packets are pcapng, messages are found in their payloads."""
