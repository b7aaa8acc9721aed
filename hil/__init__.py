"""Thinwire: testbeds, boards, servers, captures and the trial runner behind one command line.

Each room (folder) states what it holds, what it imports and which file to open first.
"""
