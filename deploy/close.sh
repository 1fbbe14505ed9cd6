#!/bin/sh
# Loads the fail-closed rules where no rules of the gateway are in the kernel. Run before the first card comes up, and
# before each start of applyd: whoever removed the rules, the machine is closed until new ones stand.
set -e
if [ "$(/usr/sbin/nft list tables | grep -cx 'table inet portcullis')" != 1 ]; then
  /usr/sbin/nft -f "${0%/*}/boot.nft"
fi
