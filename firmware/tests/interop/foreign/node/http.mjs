// Node's own HTTP: http.mjs serve PORT, or http.mjs send ADDRESS COUNT (POSTs to /a, connections kept)
import { Agent, createServer, request } from "node:http";
import { arrived, each, payload, ready } from "./payload.mjs";

const [role, where, count] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 4 });

const post = (seq) =>
  new Promise((resolve, reject) => {
    const take = (response) => {
      if (response.statusCode !== 204) reject(new Error(`status ${response.statusCode}`));
      response.resume().on("end", resolve);
    };
    request({ host: where, path: "/a", method: "POST", agent }, take)
      .on("error", reject)
      .end(payload(seq));
  });

if (role === "serve") {
  const take = async (incoming, response) => {
    const pieces = [];
    for await (const piece of incoming) pieces.push(piece);
    arrived(Buffer.concat(pieces));
    response.writeHead(204).end();
  };
  createServer(take).listen(Number(where), "0.0.0.0", ready);
} else {
  await each(Number(count), 4, post);
  process.exit(0);
}
