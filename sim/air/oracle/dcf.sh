#!/bin/sh
# The cell's saturation throughput against ns-3's, PHY by PHY and station by station.
#   apt-get install libns3-dev; sim/air/oracle/dcf.sh build/sim/air/air [SECONDS]
# Prints CSV: phy,n,ns3_mbps,air_mbps,ratio,air_without_eifs_mbps,ratio_without_eifs. In ns-3 two frames that begin
# together leave no trace but energy at the listeners, which therefore wait for DIFS and not for EIFS.
set -eu
air=$1
seconds=${2:-20}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
c++ -std=c++17 -O2 -w -o "$work/dcf" "$here/dcf.cc" -lns3-wifi -lns3-internet -lns3-mobility \
    -lns3-network -lns3-core

# All rates of 802.11b are basic, as they are in ns-3; otherwise the cell's defaults.
cell() { # PHY STATIONS EIFS
    standard=$(printf %.1s "$1")
    cat > "$work/cell.json" <<EOF
{"duration_s": 200, "cell": {"standard": "$standard", "beacons": false, "eifs": $3, "basic_rates_mbps": [1, 2, 5.5, 11]},
 "background": [{"profile": "saturated", "direction": "up", "stations": $2, "rate_mbps": ${1#?}}],
 "counters": "$work/counters.json"}
EOF
    "$air" --virtual "$work/cell.json"
    python3 -c '
import json, sys
stations = json.load(open(sys.argv[1]))["stations"]
print(sum(s["up"]["bytes_received"] for s in stations) * 8e-6 / 200)' "$work/counters.json"
}

echo phy,n,ns3_mbps,air_mbps,ratio,air_without_eifs_mbps,ratio_without_eifs
for phy in b1 b11 g6 g54; do
    for n in 1 2 5 10 20; do
        ns3=$("$work/dcf" "$phy" "$n" "$seconds" | cut -d, -f3)
        awk -v p="$phy" -v n="$n" -v b="$ns3" -v a="$(cell "$phy" "$n" true)" -v c="$(cell "$phy" "$n" false)" \
            'BEGIN {printf "%s,%d,%.3f,%.3f,%.4f,%.3f,%.4f\n", p, n, b, a, a / b, c, c / b}'
    done
done
