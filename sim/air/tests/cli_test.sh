#!/bin/sh
# The program's interface: exit statuses, messages, repeatability, the end by a signal.
#   cli_test.sh AIR
set -eu
air=$1
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
fail() {
    echo "FAILED: $1" >&2
    exit 1
}
expect() { # STATUS PATTERN COMMAND...
    status=$1 pattern=$2
    shift 2
    code=0
    "$@" > "$work/out" 2>&1 || code=$?
    [ "$code" = "$status" ] || fail "$*: exit status $code instead of $status"
    grep -q -- "$pattern" "$work/out" || fail "$*: no '$pattern' in: $(cat "$work/out")"
}

expect 2 "usage: air" "$air"
expect 2 "usage: air" "$air" --fast x.json
expect 2 "thinwire: error: $work/none.json: (file): cannot be read; check the path" "$air" "$work/none.json"
echo '{"cell": {"standard": "ax"}}' > "$work/bad.json"
expect 2 "thinwire: error: $work/bad.json: cell.standard: .*; choose one of" "$air" --check "$work/bad.json"
echo '{}' > "$work/endless.json"
expect 2 "duration_s: is missing" "$air" --virtual "$work/endless.json"
echo '{"duration_s": 1, "capture": {"path": "/nowhere/air.pcapng"}}' > "$work/nowhere.json"
expect 1 "/nowhere/air.pcapng" "$air" --virtual "$work/nowhere.json"

cat > "$work/good.json" <<EOF
{"seed": 5, "duration_s": 20, "cell": {"standard": "n"},
 "stations": [{"name": "device", "request": {}, "modem_sleep": {}}],
 "background": [{"profile": "bulk", "stations": 3, "direction": "both", "load_mbps": 5},
                {"profile": "voice", "stations": 2, "snr_db": 22}],
 "capture": {"path": "$work/air.pcapng"}, "counters": "$work/air.json"}
EOF
"$air" --check "$work/good.json" || fail "a good configuration is refused"
for run in 1 2 3; do
    "$air" --virtual "$work/good.json"
    sha256sum < "$work/air.pcapng" > "$work/capture.$run"
    sha256sum < "$work/air.json" > "$work/counters.$run"
done
for what in capture counters; do
    cmp "$work/$what.1" "$work/$what.2" || fail "runs differ in $what"
    cmp "$work/$what.1" "$work/$what.3" || fail "runs differ in $what"
done

cat > "$work/live.json" <<EOF
{"wired": {"unix": {"bind": "$work/a", "peer": "$work/b"}}, "clock": {"realtime": false},
 "background": [{"profile": "bulk"}], "counters": "$work/live.counters"}
EOF
"$air" "$work/live.json" > "$work/live.out" &
cell=$!
tries=0
until grep -q "air: ready" "$work/live.out"; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || fail "no 'air: ready'"
    sleep 0.1
done
sleep 0.3
kill -TERM "$cell"
wait "$cell" || fail "SIGTERM is not a good end"
grep -q '"wakeups"' "$work/live.counters" || fail "no counters after SIGTERM"
[ ! -e "$work/a" ] || fail "the socket is left behind"
