#!/bin/sh
# Loads the fail-closed rules where no rules of the gateway are in the kernel. Run before the first card comes up, and
# before each start of applyd: whoever removed the rules, the machine is closed until new ones stand. Where nft does not
# work there are no rules at all, so the kernel must not forward.
if tables=$(/usr/sbin/nft list tables); then
  case "
$tables
" in *"
table inet portcullis
"*) exit 0 ;; esac
  if /usr/sbin/nft -f "${0%/*}/boot.nft"; then
    # An administrator whose SSH listens elsewhere must get in too, above all when applyd never comes up.
    for port in $("${0%/*}/ssh-ports.sh"); do
      /usr/sbin/nft add rule inet portcullis_boot input tcp dport "$port" accept
    done
    exit 0
  fi
fi
for setting in ipv4/ip_forward ipv6/conf/all/forwarding; do
  [ ! -w "/proc/sys/net/$setting" ] || echo 0 >"/proc/sys/net/$setting"
done
echo "The fail-closed rules could not be loaded: the kernel forwards nothing until rules stand." >&2
exit 1
