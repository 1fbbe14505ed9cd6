#!/bin/sh
# At the end of the machine: another firewall removes all rules when it stops, and cards are still up then. This comes before
# it, and has the kernel forward nothing any more. At any other stop of the unit nothing changes.
[ "$(/usr/bin/systemctl is-system-running)" = stopping ] || exit 0
for setting in ipv4/ip_forward ipv6/conf/all/forwarding; do
  [ ! -w "/proc/sys/net/$setting" ] || echo 0 >"/proc/sys/net/$setting"
done
