"""What a home's router offers beside a way to the servers: DHCP and DNS by dnsmasq, and the time.

Open first: `router.py`.
"""
