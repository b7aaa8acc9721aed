"""A small public cloud: one registry of devices for MQTT and HTTPS, and one subscriber.

    MQTT over TLS   mosquitto, whose plugin auth.c asks the registry
    HTTPS           nginx in front of app.py, which asks the registry and publishes

Both require a JSON Web Token that the device has signed (tokens.py, registry.py).
"""
