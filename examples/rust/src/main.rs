//! Publishes a reading each 500 ms for 20 s at QoS 1, over rumqttc. Its connection is an iterator
//! that reconnects when it is asked again, and sends again what the broker has not acknowledged.

use rumqttc::{Client, Event, MqttOptions, Packet, QoS};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

const MESSAGES: usize = 40;
const INTERVAL: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(29);

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().collect();
    let [_, server, port, id, topic] = words.as_slice() else {
        eprintln!("usage: client SERVER PORT ID TOPIC");
        return ExitCode::from(2);
    };
    let Ok(port) = port.parse() else {
        eprintln!("{port} is no port");
        return ExitCode::from(2);
    };
    let mut options = MqttOptions::new(id, server, port);
    options.set_clean_session(false);
    let (client, mut connection) = Client::new(options, MESSAGES);
    let topic = topic.clone();
    thread::spawn(move || {
        for number in 1..=MESSAGES {
            let text = format!("{{\"reading\":{number},\"celsius\":21.5}}");
            if let Err(error) = client.publish(&topic, QoS::AtLeastOnce, false, text) {
                eprintln!("cannot publish: {error}");
            }
            thread::sleep(INTERVAL);
        }
    });
    let began = Instant::now();
    let mut acknowledged = 0;
    for event in connection.iter() {
        match event {
            Ok(Event::Incoming(Packet::PubAck(_))) => acknowledged += 1,
            Ok(_) => {}
            Err(error) => {
                println!("disconnected: {error}");
                thread::sleep(Duration::from_secs(1));
            }
        }
        if acknowledged == MESSAGES || began.elapsed() > LONGEST {
            break;
        }
    }
    println!("{acknowledged} of {MESSAGES} acknowledged");
    if acknowledged == MESSAGES {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
