"""The testbed `hardware`: physical boards, leased through labgrid (docs/hardware.md).

Nothing outside this folder imports it but the table of testbeds, `thinwire boards` and the
background. Open first: `testbed.py`.
"""
