#!/bin/sh
# Fuzzes the protocol parsers: fuzz.sh SECONDS [BUILD_DIRECTORY [FUZZER...]]
#
# Each fuzzer of BUILD_DIRECTORY (NAME or PATH/NAME within it) starts from firmware/tests/fuzz/corpus/NAME, runs for
# SECONDS and prints how often it ran. What it finds stays in BUILD_DIRECTORY/corpus. Exit status 1: a crash, which is
# then in BUILD_DIRECTORY/crashes; 2: bad arguments. In the environment:
#   FUZZ_JOBS   how many fuzz beside each other; as many as there are processors if not set
#   FUZZ_BYTES  the longest input; 2048 if not set (of fuzz_secure 6144). Short lives run several times as often
#   FUZZ_KEEP   a folder for what it finds instead of BUILD_DIRECTORY/corpus: ctest does not replay what hours found
set -eu

here=$(cd "$(dirname "$0")" && pwd)
seconds=${1:-}
build=${2:-$here/../../build/firmware/host}
case $seconds in
'' | *[!0-9]*)
    echo "thinwire: error: fuzz.sh: SECONDS: not a number; say how long, as in: fuzz.sh 60" >&2
    exit 2
    ;;
esac
if [ $# -gt 2 ]; then
    shift 2
else
    set -- "$here"/fuzz/fuzz_*.c fuzz_stack
fi
for fuzzer in "$@"; do
    name=$(basename "$fuzzer" .c)
    program=$build/$name
    if [ -x "$build/$fuzzer" ]; then
        program=$build/$fuzzer
    fi
    if [ ! -x "$program" ]; then
        echo "thinwire: error: $program: missing; build firmware/boards/host with clang" >&2
        exit 2
    fi
done
if [ $# -gt 1 ]; then
    printf '%s\0' "$@" | xargs -0 -n 1 -P "${FUZZ_JOBS:-$(nproc)}" "$0" "$seconds" "$build" || exit 1
    exit
fi

keep=${FUZZ_KEEP:-$build/corpus}
longest=2048
case $name in
*http* | *websocket*) words=-dict=$here/fuzz/http.dict ;;
fuzz_mqtt5) words=-dict=$here/fuzz/mqtt5.dict ;;
fuzz_config) words=-dict=$here/fuzz/config.dict ;;
*config) words=-dict=$here/fuzz/json.dict ;;
fuzz_secure) words='' longest=6144 ;; # a server's certificates, and a second session
*) words='' ;;
esac
mkdir -p "$build/crashes" "$keep/$name" "$here/fuzz/corpus/$name"
if ! "$program" ${words:+"$words"} -max_total_time="$seconds" -max_len="${FUZZ_BYTES:-$longest}" -timeout=30 -rss_limit_mb=1024 \
    -artifact_prefix="$build/crashes/$name-" -print_final_stats=1 \
    "$keep/$name" "$here/fuzz/corpus/$name" >"$build/$name.log" 2>&1; then
    echo "$name: CRASH, see $build/$name.log"
    exit 1
fi
times >>"$build/$name.log" # of the processor: in the last line that of the fuzzer
runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log")
echo "$name: $runs executions, 0 crashes"
