#!/usr/bin/env node
// Publishes a reading each 500 ms for 20 s at QoS 1, over mqtt.js, which reconnects and sends again
// what the broker has not acknowledged.
import { setTimeout as sleep } from "node:timers/promises";
import mqtt from "mqtt";

const MESSAGES = 40;
const INTERVAL_MS = 500;
const LONGEST_WAIT_MS = 9000;

const [server, port, clientId, topic] = process.argv.slice(2);
const client = mqtt.connect(`mqtt://${server}:${port}`, { clientId, clean: false, reconnectPeriod: 1000 });
client.on("close", () => console.log("disconnected"));
client.on("error", (error) => console.log(`error: ${error.message}`));

let acknowledged = 0;
for (let number = 1; number <= MESSAGES; number++) {
  const text = JSON.stringify({ reading: number, celsius: 21.5 });
  client.publish(topic, text, { qos: 1 }, (error) => {
    acknowledged += error ? 0 : 1;
  });
  await sleep(INTERVAL_MS);
}
for (let waited = 0; acknowledged < MESSAGES && waited < LONGEST_WAIT_MS; waited += 100) {
  await sleep(100);
}
console.log(`${acknowledged} of ${MESSAGES} acknowledged`);
await client.endAsync();
process.exit(acknowledged < MESSAGES ? 1 : 0);
