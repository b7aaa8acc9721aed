"""Background stations: real computers in the board's cell, which labgrid reaches over ssh.

`load.py` is the trial's side, `main.py` a process that outlives it, `station.py` runs on a station.
"""
