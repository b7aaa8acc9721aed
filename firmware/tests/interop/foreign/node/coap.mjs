// node-coap: coap.mjs serve PORT, or coap.mjs send ADDRESS COUNT (confirmable POSTs to /a)
import coap from "coap";
import { arrived, each, payload, ready } from "./payload.mjs";

const [role, where, count] = process.argv.slice(2);

const post = (seq) =>
  new Promise((resolve, reject) => {
    const request = coap.request({ hostname: where, pathname: "/a", method: "POST" });
    request.on("response", resolve).on("error", reject);
    request.end(payload(seq));
  });

if (role === "serve") {
  const server = coap.createServer((request, response) => {
    arrived(request.payload);
    response.code = "2.04";
    response.end();
  });
  server.listen(Number(where), "0.0.0.0", ready);
} else {
  await each(Number(count), 8, post);
  process.exit(0);
}
