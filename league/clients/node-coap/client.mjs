#!/usr/bin/env node
// The league's workload as confirmable POST over the npm package coap, with its defaults.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import coap from "coap";

const [hostname, port, , topic] = process.argv.slice(2);
const { MESSAGES, INTERVAL_MS, PAYLOAD_BYTES, DURATION_S } = process.env;
const messages = Number(MESSAGES);
const deadline = performance.now() + (Number(DURATION_S) - 1) * 1000;

let acknowledged = 0;
let refused = 0;
let longest = 0;
for (let number = 1; number <= messages; number++) {
  const before = performance.now();
  const request = coap.request({ hostname, port: Number(port), method: "POST", pathname: `/${topic}` });
  request.on("response", () => acknowledged++);
  request.on("error", (error) => {
    refused++;
    console.log(`refused: ${error.message}`);
  });
  request.end(String(number).padEnd(Number(PAYLOAD_BYTES)));
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
