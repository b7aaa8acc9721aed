// The MQTT broker aedes: aedes.mjs PORT
import { createServer } from "node:net";
import aedes from "aedes";
import { ready } from "./payload.mjs";

const broker = aedes({ concurrency: 1000 });
createServer(broker.handle).listen(Number(process.argv[2]), "0.0.0.0", ready);
