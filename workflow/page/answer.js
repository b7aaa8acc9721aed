// The answer in words: who is best, why, and how sure that is.
"use strict";

// biome-ignore lint/correctness/noUnusedVariables: the other scripts use it
const answer = (() => {
  const model = page.data.decide;
  const sleeps = { awake: "listen", modem: "modem_sleep", light: "light_sleep" };
  const guarantees = {
    "at-most-once": "delivered at most once",
    "at-least-once": "delivered at least once",
    "exactly-once": "delivered exactly once",
  };

  // Of each quantity: its name, the unit shown and what one unit of the model is of it, how a
  // sentence with one and with several modes says it, and its definition.
  const quantities = {
    battery: {
      name: "battery life",
      unit: "days",
      says: ["lasts longest:", "last longest:"],
      after: (question) => ` on ${question.battery} mAh`,
      means:
        "Capacity divided by the daily charge of the radio between messages and of the messages. " +
        "Without processor, sensor and self-discharge.",
    },
    charge: {
      name: "charge of a message",
      unit: "mC",
      scale: 1e-3,
      says: ["needs the least charge,", "need the least charge,"],
      after: () => " for a message",
      means:
        "Airtime of a message's frames by the currents of the ESP8266's datasheet. Asleep, also " +
        "56 mA of listening for as long as the message keeps the radio awake.",
    },
    bytes: {
      name: "bytes on the wire",
      unit: "bytes",
      says: ["takes the fewest bytes on the wire,", "take the fewest bytes on the wire,"],
      after: () => " for a message",
      means:
        "Bytes of IP packets that deliver a message, both ways, acknowledgements included. A " +
        "connection of its own counts, a session that lasts does not.",
    },
    airtime: {
      name: "airtime",
      unit: "µs",
      says: ["occupies the channel least,", "occupy the channel least,"],
      after: () => " for a message",
      means: "Time that the message's 802.11 frames and their acknowledgements are on the air.",
    },
    ack: {
      name: "time to the acknowledgement",
      unit: "ms",
      says: ["is acknowledged soonest, after", "are acknowledged soonest, after"],
      means: "From the device's call to send until the answer has arrived: the median of a trial.",
    },
    delivered: {
      name: "delivered messages",
      unit: "%",
      says: ["delivers most:", "deliver most:"],
      after: () => " of the messages",
      means:
        "Messages that reached the server, of those made, in all trials of this load and sleep.",
    },
    ram: {
      name: "RAM",
      unit: "kB",
      scale: 1e-3,
      says: ["needs the least RAM,", "need the least RAM,"],
      means:
        "Static RAM, and the highest heap and stack of the trials, of an image with this protocol " +
        "alone, TCP/IP included.",
    },
    flash: {
      name: "flash",
      unit: "kB",
      scale: 1e-3,
      says: ["needs the least flash,", "need the least flash,"],
      means: "Size of an image with this protocol alone, TCP/IP included.",
    },
  };

  const scaled = (name, x) => page.number(x * (quantities[name].scale ?? 1));
  const spread = (name, each) =>
    each.low === each.high || Number.isNaN(each.low)
      ? ""
      : `${scaled(name, each.low)} to ${scaled(name, each.high)}`;
  // "31.2 days (29.0 to 33.6)"
  const full = (name, each) =>
    `${scaled(name, each.value)} ${quantities[name].unit}` +
    (spread(name, each) ? ` (${spread(name, each)})` : "");
  // Two significant digits, as a person says a number.
  const about = (x) => String(Number(x.toPrecision(2)));

  const most = 4; // modes that a list in a sentence names
  function listed(labels) {
    if (labels.length > most)
      return `${labels.slice(0, most - 1).join(", ")} and ${labels.length - most + 1} more`;
    return [labels.slice(0, -1).join(", "), labels.at(-1)].filter(Boolean).join(" and ");
  }

  function seconds(s) {
    const [size, unit] = [
      [3600, "hour"],
      [60, "minute"],
      [1, "second"],
    ].find(([size]) => s >= size && s % size === 0) ?? [1, "second"];
    const count = s / size;
    return count === 1 ? unit : `${page.number(count)} ${unit}s`;
  }

  function words(question) {
    const radio =
      question.sleep === "awake"
        ? "radio always awake"
        : `${question.sleep} sleep between messages`;
    const load = model.loads.find((each) => each.name === question.load);
    return [
      `${question.payload} bytes every ${seconds(question.interval)}`,
      guarantees[question.guarantee],
      radio,
      `on the access point: ${load?.label ?? question.load}`,
    ].join(", ");
  }

  // Best, those that the trials do not separate from it, and the others with data.
  function groups(rows) {
    const ranked = rows.filter((row) => !row.baseline && row.score !== null);
    return {
      ranked,
      first: ranked.filter((row, i) => i === 0 || row.tied),
      behind: ranked.filter((row, i) => i > 0 && !row.tied),
    };
  }

  function weighed(question, { ranked, first, behind }) {
    const by = Object.entries(question.weights)
      .map(([name, weight]) => `${quantities[name].name}${weight === 1 ? "" : ` × ${weight}`}`)
      .join(", ");
    const next = behind.length
      ? ` Next: ${behind[0].mode.label}, ${page.number(behind[0].score)} times as costly.`
      : "";
    const alike =
      first.length > 1 ? `; ${listed(first.slice(1).map((row) => row.mode.label))} as good` : "";
    return `Weighing ${by}: ${ranked[0].mode.label} is best${alike}.${next}`;
  }

  // The sentence that answers: "CoAP CON and MQTT-SN QoS 1 last longest: about 36 days on 1000 mAh;
  // the trials cannot separate them."
  function sentence(question, rows) {
    const found = groups(rows);
    const { ranked, first, behind } = found;
    if (!ranked.length) return "Only raw TCP and UDP have data, which no product speaks.";
    const [name, ...others] = Object.keys(question.weights);
    if (others.length) return weighed(question, found);
    const { says, unit, scale = 1, after = () => "" } = quantities[name];
    const labels = first.map((row) => row.mode.label);
    const amount = (rows) => {
      const values = rows.map((row) => row.values[name].value * scale);
      const ends = [...new Set([Math.min(...values), Math.max(...values)].map(about))];
      return `about ${ends.join(" to ")} ${unit}${after(question)}`;
    };
    if (first.length > 1 && !behind.length)
      return `The trials find no difference in ${quantities[name].name} between ${listed(labels)}: ${amount(first)}.`;
    const apart = first.length > 1 ? "; the trials cannot separate them" : "";
    return `${listed(labels)} ${says[first.length > 1 ? 1 : 0]} ${amount(first)}${apart}.`;
  }

  // The first mode that the trials do separate from the best.
  function next(question, rows) {
    const [name, ...others] = Object.keys(question.weights);
    const { behind } = groups(rows);
    return behind.length && !others.length
      ? `Next: ${behind[0].mode.label}, ${full(name, behind[0].values[name])}.`
      : "";
  }

  const milli = (uc) => `${page.number(uc / 1000)} mC`;

  // The charge of a message in its parts, where the radio sleeps.
  function charged(row, question) {
    const { charge } = row.values;
    if (question.sleep === "awake" || !charge) return charge ? milli(charge.value) : "";
    const frames = decide.estimate("frames_uc", row.mode, question);
    return `${milli(charge.value)}: ${milli(frames.value)} for its frames, ${milli(charge.value - frames.value)} for listening while they keep the radio awake`;
  }

  const reasons = {
    battery(best, other, question) {
      const idle = model.currents_ma[sleeps[question.sleep]];
      const days = page.number(question.battery / idle / 24);
      const radio =
        question.sleep === "awake"
          ? `An awake radio takes ${idle} mA all the time, which alone empties ${question.battery} mAh in ${days} days. What separates protocols then is little: let the radio sleep.`
          : `In ${question.sleep} sleep the radio takes ${idle} mA between messages, so ${question.battery} mAh last at most ${days} days.`;
      return `${radio} ${reasons.charge(best, other, question)}`;
    },
    charge(best, other, question) {
      const next = other?.values.charge
        ? ` A message of ${other.mode.label} costs ${milli(other.values.charge.value)}.`
        : "";
      return best.values.charge
        ? `A message of ${best.mode.label} costs ${charged(best, question)}.${next}`
        : "";
    },
    bytes(best, other, question) {
      const rest = (row) => page.number(row.values.bytes.value - question.payload);
      const next = other ? `, of ${other.mode.label} ${rest(other)}` : "";
      return `${question.payload} bytes are the payload. Headers and acknowledgements of ${best.mode.label} add ${rest(best)}${next}.`;
    },
    airtime: () =>
      "Each frame also takes a preamble and an 802.11 acknowledgement, so a mode with fewer frames occupies the channel less.",
    ack(_best, _other, question) {
      const asleep =
        question.sleep === "awake"
          ? ""
          : "The radio wakes at beacons, 102.4 ms apart: until then the access point keeps the answer. ";
      return `${asleep}${question.load === "idle" ? "" : "Frames wait for those of the other stations."}`;
    },
    delivered: () =>
      "Modes over UDP without acknowledgement do not repeat what the air loses; the others do.",
    ram: () => "TCP/IP is in every image; what differs is the protocol's own state and buffers.",
    flash: () => "TCP/IP is in every image; what differs is the protocol's own code.",
  };

  function why(question, rows) {
    const { ranked, behind } = groups(rows);
    const names = Object.keys(question.weights);
    if (!ranked.length || names.length > 1) return "";
    const floor = rows.find((row) => row.baseline && row.values[names[0]]);
    const raw = floor
      ? ` Without any protocol, ${floor.mode.label}: ${full(names[0], floor.values[names[0]])}.`
      : "";
    return `Why: ${reasons[names[0]](ranked[0], behind[0], question)}${raw}`;
  }

  const condition = (trial) => {
    const load = model.loads.find((each) => each.name === trial.load);
    return `${trial.payload} bytes every ${seconds(trial.interval)}, ${trial.sleep ? "asleep" : "awake"}, ${load?.label ?? trial.load}`;
  };

  // The nearest trials of a mode that share one condition: what was measured, and in how many runs.
  function closest(mode, question) {
    const trials = decide.nearest(mode, question);
    const alike = trials.filter((trial) => condition(trial) === condition(trials[0]));
    return { text: condition(trials[0]), runs: alike.length, trials: alike };
  }

  // What the answer rests on: the most important thing to know of it.
  function sure(question, rows) {
    const { ranked } = groups(rows);
    if (!ranked.length) return "";
    const exact = ranked.filter((row) => row.measured).length;
    if (exact === ranked.length)
      return `All ${exact} modes were measured in exactly this condition.`;
    const near = closest(ranked[0].mode, question);
    const runs = near.runs === 1 ? "one run" : `${near.runs} runs`;
    return `${exact === 0 ? "None" : exact} of the ${ranked.length} modes ${exact < 2 ? "was" : "were"} measured in exactly this condition: the values are interpolated between trials. The nearest of ${ranked[0].mode.label}: ${near.text} (${runs}).`;
  }

  return {
    about,
    closest,
    condition,
    full,
    groups,
    next,
    quantities,
    scaled,
    sentence,
    spread,
    sure,
    why,
    words,
  };
})();
