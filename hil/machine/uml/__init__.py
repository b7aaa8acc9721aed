"""The machine `uml`: Linux as a program (User-Mode Linux) whose time passes by events alone."""
