"""HTTP/1.1: the server, requesters."""
