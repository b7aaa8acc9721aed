#!/bin/sh
# The program's interface: exit statuses, messages, the end by a signal.
#   cli_test.sh WIRE
set -eu
wire=$1
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

expect 2 "usage: wire" "$wire"
expect 2 "usage: wire" "$wire" --fast
expect 2 "thinwire: error: $work/none.json: (file): cannot be read; check the path" "$wire" "$work/none.json"
echo '{"device": {"tap": "a"}}' > "$work/bad.json"
expect 2 "thinwire: error: $work/bad.json: server: is missing" "$wire" --check "$work/bad.json"
echo '{"device": {"unix": {"bind": "/nowhere/a", "peer": "/nowhere/b"}}, "server": {"tap": "b"}}' > "$work/nowhere.json"
expect 1 "thinwire: error: wire: unix socket /nowhere/a: cannot be bound" "$wire" "$work/nowhere.json"

cat > "$work/good.json" <<EOF
{"device": {"unix": {"bind": "$work/a", "peer": "$work/b"}},
 "server": {"unix": {"bind": "$work/c", "peer": "$work/d"}},
 "faults": [{"number": 1, "kind": "loss", "at_ms": 0}]}
EOF
"$wire" --check "$work/good.json" || fail "a good configuration is refused"
"$wire" "$work/good.json" > "$work/good.out" &
running=$!
tries=0
until grep -q "wire: ready" "$work/good.out"; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || fail "no 'wire: ready'"
    sleep 0.1
done
kill -TERM "$running"
wait "$running" || fail "SIGTERM is not a good end"
[ ! -e "$work/a" ] || fail "the socket is left behind"
