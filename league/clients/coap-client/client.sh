#!/bin/sh
# The league's workload as confirmable POST by coap-client of libcoap: a process for each message,
# one after the other, as shell scripts do it. It gives up a message after 90 s by default.
set -eu
acknowledged=0 refused=0 number=1
pause=$(printf '%d.%03d' $((INTERVAL_MS / 1000)) $((INTERVAL_MS % 1000)))
while [ "$number" -le "$MESSAGES" ]; do
  text=$(printf "%-${PAYLOAD_BYTES}d" "$number")
  if ./coap-client-notls -m post -e "$text" "coap://$1:$2/$4"; then
    acknowledged=$((acknowledged + 1))
  else
    refused=$((refused + 1))
  fi
  number=$((number + 1))
  ./sleep "$pause"
done
echo "acknowledged=$acknowledged refused=$refused"
