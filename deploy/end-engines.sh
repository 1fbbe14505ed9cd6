#!/bin/sh
# Ends what applyd started and left running. systemd stops this unit whenever applyd ends, also to start it again: only when
# applyd is not to run any more, the engines end. All of them are in its control group or in those of portcullis-groups.service. Whoever has not ended after ten
# seconds is killed.
set -u
unit=portcullis-applyd.service
property() {
  /usr/bin/systemctl show --property="$1" --value "$unit"
}
# A restart has a job for it, and the end of a crashed one is followed by a start.
case $(property Job) in '' | 0) ;; *) exit 0 ;; esac
case $(property SubState) in dead | failed | '') ;; *) exit 0 ;; esac

group=$(property ControlGroup)
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
