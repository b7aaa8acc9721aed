"""MQTT-SN 1.2: the laboratory's own transparent gateway, and Paho's."""
