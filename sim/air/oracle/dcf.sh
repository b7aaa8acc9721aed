#!/bin/sh
# The cell's saturation throughput against that of ns-3, for each PHY and number of stations. With groups, stations of
# one group do not hear those of another.
#   apt-get install libns3-dev; sim/air/oracle/dcf.sh build/sim/air/air [SECONDS]
# Prints CSV: phy,n,groups,ns3_mbps,air_mbps,ratio,air_without_eifs_mbps,ratio_without_eifs. In ns-3, listeners detect
# two frames that begin together only as energy, so they wait for DIFS and not for EIFS. At 6 Mb/s it decodes one of
# two equally strong frames if the other begins later, so groups are compared at higher rates.
set -eu
air=$1
seconds=${2:-20}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
c++ -std=c++17 -O2 -w -o "$work/dcf" "$here/dcf.cc" -lns3-wifi -lns3-internet -lns3-mobility \
    -lns3-propagation -lns3-network -lns3-core

# All rates of 802.11b are basic, as they are in ns-3; otherwise the cell's defaults.
cell() { # PHY STATIONS GROUPS EIFS
    python3 - "$work/" "$@" <<'END'
import json, sys
work, phy, stations, groups, eifs = sys.argv[1:]
groups = int(groups)
background = [
    {"name": str(i), "profile": "saturated", "direction": "up", "rate_mbps": float(phy[1:]),
     "hidden_group": i % groups + 1 if groups > 1 else 0}
    for i in range(int(stations))
]
cell = {"standard": phy[0], "beacons": False, "eifs": eifs == "true", "basic_rates_mbps": [1, 2, 5.5, 11]}
with open(work + "cell.json", "w") as file:
    json.dump({"duration_s": 200, "cell": cell, "background": background, "counters": work + "counters.json"}, file)
END
    "$air" --virtual "$work/cell.json"
    python3 -c '
import json, sys
stations = json.load(open(sys.argv[1]))["stations"]
print(sum(s["up"]["bytes_received"] for s in stations) * 8e-6 / 200)' "$work/counters.json"
}

compare() { # PHY STATIONS GROUPS
    ns3=$("$work/dcf" "$1" "$2" "$seconds" "$3" | cut -d, -f3)
    awk -v p="$1" -v n="$2" -v g="$3" -v b="$ns3" -v a="$(cell "$@" true)" -v c="$(cell "$@" false)" \
        'BEGIN {printf "%s,%d,%d,%.3f,%.3f,%.4f,%.3f,%.4f\n", p, n, g, b, a, a / b, c, c / b}'
}

echo phy,n,groups,ns3_mbps,air_mbps,ratio,air_without_eifs_mbps,ratio_without_eifs
for phy in b1 b11 g6 g54; do
    for n in 1 2 5 10 20; do
        compare $phy $n 1
    done
done
for phy in g24 g54; do
    for n in 2 4 10; do
        compare $phy $n 2
    done
    compare $phy 3 3
    compare $phy 9 3
done
