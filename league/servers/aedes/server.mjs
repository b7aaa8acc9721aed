#!/usr/bin/env node
// An MQTT broker: aedes with its defaults, which keeps sessions in memory.
import { createServer } from "node:net";
import { Aedes } from "aedes";

const [address, port] = process.argv.slice(2);
const broker = await Aedes.createBroker();
broker.on("clientError", (client, error) => console.log(`${client.id}: ${error.message}`));
createServer(broker.handle).listen(Number(port), address);
