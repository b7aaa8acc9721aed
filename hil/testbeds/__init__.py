"""Where a trial runs. `rig` is the laboratory itself; `virtual` and `live` are its two homes."""
