"""The background of a trial on boards: real stations, which labgrid reaches by ssh, in the air."""
