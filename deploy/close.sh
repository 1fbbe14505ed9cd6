#!/bin/sh
# Loads the fail-closed rules where no rules of the gateway are in the kernel. Run before the first card comes up, and
# before each start of applyd: whoever removed the rules, the machine is closed until new ones stand. Where nft does not
# work there are no rules at all, so the kernel must not forward. With `ssh` only the ports of SSH are opened in fail-closed
# rules that applyd has loaded itself; where it has replaced them meanwhile, nothing is changed.

# An administrator whose SSH listens elsewhere must get in too, above all when the gateway never comes up.
open_ssh() {
  for port in $("${0%/*}/ssh-ports.sh"); do
    /usr/sbin/nft add rule inet portcullis_boot input tcp dport "$port" accept
  done
}
if [ "${1:-}" = ssh ]; then
  /usr/sbin/nft list tables | grep -qx 'table inet portcullis_boot' || exit 0
  open_ssh 2>/dev/null
  exit 0
fi
if tables=$(/usr/sbin/nft list tables); then
  case "
$tables
" in *"
table inet portcullis
"*) exit 0 ;; esac
  if /usr/sbin/nft -f "${0%/*}/boot.nft"; then
    open_ssh
    exit 0
  fi
fi
for setting in ipv4/ip_forward ipv6/conf/all/forwarding; do
  [ ! -w "/proc/sys/net/$setting" ] || echo 0 >"/proc/sys/net/$setting"
done
echo "The fail-closed rules could not be loaded: the kernel forwards nothing until rules stand." >&2
exit 1
