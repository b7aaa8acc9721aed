"""The machine `uml`: User-Mode Linux, whose clock advances with events only.

Open first: `run.py`.
"""
