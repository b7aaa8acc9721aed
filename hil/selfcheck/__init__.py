"""What the laboratory says about itself: speed, determinism, clocks, a second machine, layering.

Each module is a program: `python -m hil.selfcheck.bench`. It may import every room; no room imports
it. Open first: `determinism.py`.
"""
