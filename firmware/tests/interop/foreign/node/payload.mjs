// Payloads as firmware/core/app/workload.h has them, and the words that peers.py and senders.py read.

/** A payload of 30 bytes with this sequence number. */
export const payload = (seq) => `peer1 ${seq} 1 `.padEnd(30, ".");

/** What arrived, as one line. */
export const arrived = (bytes) => process.stdout.write(`${bytes}\n`);

/** This peer can be reached. */
export const ready = () => process.stdout.write("ready\n");

/** Calls send(seq) for each of `count` numbers, `parallel` at a time; send returns a promise. */
export async function each(count, parallel, send) {
  let next = 0;
  const one = async () => {
    while (next < count) await send(next++);
  };
  await Promise.all(Array.from({ length: parallel }, one));
}
