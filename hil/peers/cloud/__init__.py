"""A small public cloud: one registry of devices that takes MQTT and HTTPS, and one subscriber.

    MQTT over TLS   mosquitto, which asks the registry by its plugin auth.c
    HTTPS           nginx, and behind it app.py, which asks the registry and publishes

Both doors let in the same: a JSON Web Token that the device has signed (tokens.py, registry.py).
"""
