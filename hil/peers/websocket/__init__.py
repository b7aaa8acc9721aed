"""WebSocket: the server."""
