#!/bin/sh
# TCP and UDP through the cell, with Linux on both sides: iperf3 between two network namespaces.
#   sudo sim/air/oracle/iperf.sh build/sim/air/air [SECONDS]
# Needs root, iproute2 and iperf3. Prints CSV: phy,aggregation,test,mbps,loss_pct.
set -eu
air=$1
seconds=${2:-5}
work=$(mktemp -d)
suffix=$$
wired=w$suffix
station=s$suffix
server=

clean_up() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    ip netns del "$wired" 2>/dev/null || true
    ip netns del "$station" 2>/dev/null || true
    rm -r "$work"
}
trap clean_up EXIT

# Reads iperf3's JSON: megabits per second received, and the loss of UDP.
report() {
    python3 -c '
import json, sys
end = json.load(open(sys.argv[1]))["end"]
received = (end.get("sum_received") or end["sum"])["bits_per_second"] / 1e6
print("%s,%.2f,%.2f" % (sys.argv[2], received, end.get("sum", {}).get("lost_percent", 0)))' "$1" "$2"
}

measure() { # PHY AGGREGATION RATE OVERLOAD
    standard=$(printf %.1s "$1")
    cat > "$work/cell.json" <<EOF
{"seed": 1, "cell": {"standard": "$standard", "ampdu_frames": $2, "queue_frames": 200},
 "wired": {"tap": "$wired"}, "stations": [{"rate_mbps": $3, "queue_frames": 200, "port": {"tap": "$station"}}]}
EOF
    "$air" "$work/cell.json" > "$work/air.log" &
    cell=$!
    until grep -q ready "$work/air.log"; do sleep 0.1; done
    for side in "$wired:1" "$station:2"; do
        name=${side%:*}
        ip netns add "$name"
        ip link set "$name" netns "$name"
        ip -n "$name" address add "10.99.0.${side#*:}/24" dev "$name"
        ip -n "$name" link set "$name" up
        ip netns exec "$name" sysctl -q -w net.ipv4.tcp_congestion_control=reno || true
    done
    ip netns exec "$wired" iperf3 -s > "$work/server.log" 2>&1 &
    server=$!
    sleep 0.5
    for test in up:"" down:-R udp_up:"-u -b $4M" udp_down:"-u -b $4M -R"; do
        # shellcheck disable=SC2086 # the options are words
        ip netns exec "$station" iperf3 -J -t "$seconds" -c 10.99.0.1 ${test#*:} > "$work/result.json"
        report "$work/result.json" "$1,$2,${test%%:*}"
    done
    kill "$server" "$cell"
    wait "$server" "$cell" || true
    server=
    ip netns del "$wired"
    ip netns del "$station"
}

echo phy,aggregation,test,mbps,loss_pct
measure g54 1 54 60
measure n65 64 65 100
measure n65 1 65 100
