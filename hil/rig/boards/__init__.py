"""Drivers of boards: power on with a firmware and a configuration, read the log, power off."""
