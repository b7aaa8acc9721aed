"""A farm of emulated boards; all programs in front of them are the real ones."""
