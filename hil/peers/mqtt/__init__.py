"""MQTT 3.1.1: mosquitto, the subscriber that records, publishers and subscribers."""
