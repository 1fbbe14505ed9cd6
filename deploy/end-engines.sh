#!/bin/sh
# Ends what applyd started and left running. systemd stops this unit whenever applyd ends, also to start it again: only when
# applyd is not to run any more, the engines end. All of them are in its control group or in those of portcullis-groups.service. Whoever has not ended after ten
# seconds is killed.
set -u
unit=portcullis-applyd.service
# A busy systemd may not answer in time; that says nothing about applyd.
property() {
  for _ in 1 2 3; do
    /usr/bin/systemctl show --property="$1" --value "$unit" && return 0
  done
  echo "systemd does not say whether $unit is to run: what it started is left" >&2
  return 1
}
job=$(property Job) && state=$(property SubState) && group=$(property ControlGroup) || exit 1
# A restart has a job for it, and the end of a crashed one is followed by a start.
case $job in '' | 0) ;; *) exit 0 ;; esac
case $state in dead | failed | '') ;; *) exit 0 ;; esac

each() {
  found=1
  # Where applyd starts them, and the groups that it moves them to (server/src/applyd/machine/control-groups.ts).
  for list in "/sys/fs/cgroup${group:-/system.slice/$unit}/cgroup.procs" \
    /sys/fs/cgroup/system.slice/portcullis-groups.service/engines/*/cgroup.procs; do
    [ -r "$list" ] || continue
    while read -r pid; do
      # One that has just ended is listed as 0, which would mean ourselves.
      [ "$pid" -gt 1 ] || continue
      found=0
      kill "-$1" "$pid" 2>/dev/null
    done <"$list"
  done
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
