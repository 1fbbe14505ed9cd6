#!/bin/sh
# An engine for tests. The first line of its file says how it behaves: well, die, deaf (ignores SIGTERM), brood (has a
# deaf child).
file=$1
read -r mode < "$file"
echo "started as $mode"
case $mode in
  die) echo "cannot bind: address in use" >&2; exit 3 ;;
  deaf) trap '' TERM ;;
  brood) (trap '' TERM; exec sleep 1000) & ;;
esac
trap 'read -r mode < "$file"; echo "now $mode"' HUP
while :; do
  sleep 1000 &
  wait $!
done
