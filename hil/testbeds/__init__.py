"""Where a trial runs: on virtual time in the machine, or live in namespaces of this host."""
