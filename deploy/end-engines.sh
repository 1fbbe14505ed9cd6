#!/bin/sh
# Ends what applyd started and left running: they outlive a restart of applyd and of a crashed one, but not its stop. All
# of them are in its control group, whose name systemd gives us. Whoever does not end within ten seconds is killed.
set -u
unit=portcullis-applyd.service
group=$(/usr/bin/systemctl show --property=ControlGroup --value "$unit")
list="/sys/fs/cgroup${group:-/system.slice/$unit}/cgroup.procs"
each() {
  [ -r "$list" ] || return 1
  found=1
  while read -r pid; do
    found=0
    kill "-$1" "$pid" 2>/dev/null
  done <"$list"
  return $found
}
each TERM || exit 0
# A suspended one would not hear it.
each CONT
tenths=0
while each 0; do
  [ $tenths -lt 100 ] || each KILL
  [ $tenths -lt 150 ] || exit 1
  tenths=$((tenths + 1))
  sleep 0.1
done
