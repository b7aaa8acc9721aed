//! An MQTT broker: rumqttd with the limits of its example configuration.
use rumqttd::{Broker, Config, ConnectionSettings, RouterConfig, ServerSettings};
use std::collections::HashMap;

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let settings = ServerSettings {
        name: "v4-1".into(),
        listen: format!("{}:{}", words[1], words[2])
            .parse()
            .expect("an address and a port"),
        tls: None,
        next_connection_delay_ms: 1,
        connections: ConnectionSettings {
            connection_timeout_ms: 60000,
            max_payload_size: 20480,
            max_inflight_count: 100,
            auth: None,
            external_auth: None,
            dynamic_filters: true,
        },
    };
    let router = RouterConfig {
        max_connections: 10010,
        max_outgoing_packet_count: 200,
        max_segment_size: 104857600,
        max_segment_count: 10,
        ..Default::default()
    };
    let v4 = Some(HashMap::from([("1".into(), settings)]));
    let config = Config {
        router,
        v4,
        ..Default::default()
    };
    if let Err(error) = Broker::new(config).start() {
        eprintln!("cannot serve: {error}");
        std::process::exit(1);
    }
}
