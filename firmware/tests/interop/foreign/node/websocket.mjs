// ws, as a server: websocket.mjs serve PORT, or websocket.mjs send PORT COUNT (to whoever connects)
import { WebSocketServer } from "ws";
import { arrived, payload, ready } from "./payload.mjs";

const [role, port, count] = process.argv.slice(2);
const server = new WebSocketServer({ port: Number(port), host: "0.0.0.0" }, ready);

server.on("connection", (socket) => {
  if (role === "serve") return socket.on("message", arrived);
  for (let seq = 0; seq < Number(count); seq++) socket.send(payload(seq));
  socket.on("pong", () => process.exit(0)); // all before it has been read
  socket.ping();
});
