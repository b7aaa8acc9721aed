"""The design of trials: studies, their parameters and rules, the facts of a trial, addresses.

Imports: base.
Open first: `studies.py`, then `facts.py`.
"""
