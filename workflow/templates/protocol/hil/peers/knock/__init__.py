"""Knock: a message is a datagram, and nothing is added to it or comes back."""
