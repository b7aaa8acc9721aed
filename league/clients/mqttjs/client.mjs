#!/usr/bin/env node
// The league's workload at QoS 1 over MQTT.js, with the library's defaults and a kept session.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import mqtt from "mqtt";

const [server, port, clientId, topic] = process.argv.slice(2);
const { MESSAGES, INTERVAL_MS, PAYLOAD_BYTES, DURATION_S } = process.env;
const messages = Number(MESSAGES);
const deadline = performance.now() + (Number(DURATION_S) - 1) * 1000;
const client = mqtt.connect(`mqtt://${server}:${port}`, { clientId, clean: false });
client.on("error", (error) => console.log(`error: ${error.message}`));

let acknowledged = 0;
let refused = 0;
let longest = 0;
for (let number = 1; number <= messages; number++) {
  const before = performance.now();
  client.publish(topic, String(number).padEnd(Number(PAYLOAD_BYTES)), { qos: 1 }, (error) => {
    if (error) refused++;
    else acknowledged++;
  });
  longest = Math.max(longest, performance.now() - before);
  await sleep(Number(INTERVAL_MS));
}
while (acknowledged + refused < messages && performance.now() < deadline) {
  await sleep(100);
}
const memory = /VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1];
console.log(`longest_call_ms=${Math.floor(longest)} memory_kib=${memory}`);
console.log(`acknowledged=${acknowledged} refused=${refused}`);
process.exit(0);
