#!/usr/bin/env bash
# iw, as far as `iw dev X survey dump` goes: between two calls a second has passed on the channel, in which others had as many ms of it as the
# file THINWIRE_BUSY says on its first line; that line is then gone, but for the last.
set -euo pipefail
state=$THINWIRE_BUSY
calls=$(($(cat "$state.calls" 2>/dev/null || echo 0) + 1))
busy=$(($(cat "$state.busy" 2>/dev/null || echo 0) + $(head -n 1 "$state")))
echo "$calls" >"$state.calls"
echo "$busy" >"$state.busy"
if [ "$(wc -l <"$state")" -gt 1 ]; then sed -i 1d "$state"; fi
printf 'Survey data from %s\n\tfrequency:\t\t\t2437 MHz [in use]\n\tnoise:\t\t\t\t-95 dBm\n' "$2"
printf '\tchannel active time:\t\t%d ms\n\tchannel busy time:\t\t%d ms\n' $((calls * 1000)) "$busy"
printf '\tchannel receive time:\t\t0 ms\n\tchannel transmit time:\t\t0 ms\n'
