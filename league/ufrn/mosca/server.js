#!/usr/bin/env node
// Mosca with its defaults, as UFRN 2018 had it: a broker that keeps its subscriptions in memory.
const mosca = require("mosca");

const [address, port] = process.argv.slice(2);
new mosca.Server({ host: address, port: Number(port) }).on("error", (error) => {
  console.log(error.message);
  process.exit(1);
});
