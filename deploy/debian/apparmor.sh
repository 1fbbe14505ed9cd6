#!/bin/sh
# Lets the profiles of AppArmor that Debian's packages bring allow the files of the gateway:
#   apparmor.sh add [STATE]      adds our lines to /etc/apparmor.d/local/<profile> and loads the profiles again
#   apparmor.sh remove [STATE]   takes them away again
# Both can be run any number of times. STATE is the state folder, /var/lib/portcullis when it is not named. PORTCULLIS_ROOT is
# a folder that stands for /, for tests and images: nothing is loaded there.
set -eu

verb=${1:-}
state=${2:-/var/lib/portcullis}
base=${PORTCULLIS_ROOT:-}
app=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd -P)
templates=$app/deploy/apparmor
profiles=$base/etc/apparmor.d

case $verb in add | remove) ;; *)
  sed -n '2,6p' "$0" >&2
  exit 2
  ;;
esac
# Both paths become part of rules.
for path in "$state" "$app"; do
  case $path in
  *[!A-Za-z0-9._/+-]* | *//* | */../* | */.. | [!/]* | /)
    echo "The path $path has characters that a profile cannot name." >&2
    exit 2
    ;;
  esac
done

# Everything but our lines for this state folder.
without() {
  [ -e "$1" ] || return 0
  awk -v from="# portcullis begin $state" -v to="# portcullis end $state" '
    $0 == from { skipping = 1 }
    !skipping { print }
    $0 == to { skipping = 0 }
  ' "$1"
}

for template in "$templates"/usr.sbin.*; do
  name=${template##*/}
  file=$profiles/local/$name
  [ "$verb" = add ] || [ -e "$file" ] || continue
  mkdir -p "$profiles/local"
  fresh=$(mktemp "$profiles/local/.portcullis.XXXXXX")
  {
    without "$file"
    if [ "$verb" = add ]; then
      echo "# portcullis begin $state"
      sed -e "s#@STATE@#$state#g" -e "s#@APP@#$app#g" "$template"
      echo "# portcullis end $state"
    fi
  } > "$fresh"
  if [ -e "$file" ] && cmp -s "$fresh" "$file"; then
    rm -f "$fresh"
    continue
  fi
  chmod 0644 "$fresh"
  # The profile includes the file, so it stays, if need be without a line.
  mv -f "$fresh" "$file"
  [ -z "$base" ] && [ -e "$profiles/$name" ] && [ ! -e "$profiles/disable/$name" ] || continue
  [ -d /sys/kernel/security/apparmor ] && command -v apparmor_parser > /dev/null || continue
  apparmor_parser -r -T -W "$profiles/$name" || echo "The profile $name could not be loaded again." >&2
done
