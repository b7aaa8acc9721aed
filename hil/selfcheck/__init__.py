"""What the laboratory reports about itself: speed, determinism, clocks, a second machine, layering.

Each module is a program, such as `python -m hil.selfcheck.bench`.
Imports: any room; no room imports it.
Open first: `determinism.py`.
"""
