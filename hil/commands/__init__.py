"""The subcommands of `thinwire`: each module has `configure(parser)` and `run(arguments)`."""
