"""Thinwire: testbeds, boards, servers, captures and the trial runner behind one command line."""
