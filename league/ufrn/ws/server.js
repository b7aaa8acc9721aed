#!/usr/bin/env node
// A hub on ws with its defaults: a message goes to all other clients of its path, as in the
// laboratory's own server (hil/peers/websocket/server.py).
const { WebSocket, WebSocketServer } = require("ws");

const [address, port] = process.argv.slice(2);
const server = new WebSocketServer({ host: address, port: Number(port) });
server.on("connection", (client, request) => {
  client.path = request.url.split("?")[0];
  client.on("error", (error) => console.log(error.message));
  client.on("message", (data, binary) => {
    for (const other of server.clients)
      if (other !== client && other.path === client.path && other.readyState === WebSocket.OPEN)
        other.send(data, { binary });
  });
});
