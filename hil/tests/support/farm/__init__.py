"""A farm of boards without silicon, in front of which all programs are the real ones."""
