"""Access to the host: programs, child processes, namespaces, scratch folders, progress bars.

Imports: base.
Open first: `processes.py`.
"""
