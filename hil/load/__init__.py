"""Load generators: clients of the device or of its broker, each with a socket of its own.

One process, one event loop, no threads; a client is a protocol object and a timer.
"""
