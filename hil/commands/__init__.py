"""The subcommands of `thinwire`: each module has `configure(parser)` and `run(arguments)`.

Imports: any room; no room imports it.
Open first: `trial.py`, and `../cli.py`, which calls them.
"""
