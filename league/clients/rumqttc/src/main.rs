//! The league's workload at QoS 1 over rumqttc, with the library's defaults and a kept session.
//! The queue to its connection holds 10 messages, as in its documentation.

use rumqttc::{Client, Event, MqttOptions, Packet, QoS};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

const QUEUE: usize = 10;

fn number(name: &str) -> u64 {
    let text = std::env::var(name).unwrap_or_default();
    text.parse()
        .unwrap_or_else(|_| panic!("{name} is no number: '{text}'"))
}

/// The largest resident memory of this process, in KiB.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.unwrap_or("")
        .trim()
        .trim_end_matches(" kB")
        .to_string()
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let [_, server, port, id, topic] = words.as_slice() else {
        panic!("usage: client SERVER PORT ID TOPIC");
    };
    let (messages, size) = (number("MESSAGES"), number("PAYLOAD_BYTES") as usize);
    let interval = Duration::from_millis(number("INTERVAL_MS"));
    let deadline = Instant::now() + Duration::from_secs(number("DURATION_S") - 1);
    let mut options = MqttOptions::new(id, server, port.parse().expect("the port is a number"));
    options.set_clean_session(false);
    let (client, mut connection) = Client::new(options, QUEUE);
    let (refused, longest_ms) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (topic, counted, longest) = (topic.clone(), refused.clone(), longest_ms.clone());
    thread::spawn(move || {
        for n in 1..=messages {
            let before = Instant::now();
            let text = format!("{n:<size$}");
            if client
                .publish(&topic, QoS::AtLeastOnce, false, text)
                .is_err()
            {
                counted.fetch_add(1, Relaxed);
            }
            longest.fetch_max(before.elapsed().as_millis() as u64, Relaxed);
            thread::sleep(interval);
        }
        thread::park(); // the client must live until the connection has sent all
    });
    let mut acknowledged = 0;
    while acknowledged < messages && Instant::now() < deadline {
        if let Ok(Ok(Event::Incoming(Packet::PubAck(_)))) =
            connection.recv_timeout(Duration::from_millis(100))
        {
            acknowledged += 1;
        }
    }
    let (refused, longest) = (refused.load(Relaxed), longest_ms.load(Relaxed));
    println!("longest_call_ms={longest} memory_kib={}", memory());
    println!("acknowledged={acknowledged} refused={refused}");
}
