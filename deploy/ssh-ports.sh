#!/bin/sh
# Prints the ports that the settings of SSH on this machine name besides 22, one in a line: of the server, and of its socket in
# systemd. The argument is a folder that stands for /, for tests.
set -u
base=${1:-}
port='\([1-9][0-9]\{0,4\}\)'
end='[[:space:]"]*\(#.*\)\{0,1\}$'
{
  # `Port 2222`, and `ListenAddress 192.0.2.1:2222` or `[2001:db8::1]:2222`, whose port is after the only colon or the bracket.
  sed -n -e "s/^[[:space:]]*port[[:space:]=\"]*$port$end/\\1/Ip" \
    -e "s/^[[:space:]]*listenaddress[[:space:]=\"]*[^][:space:]:]*:$port$end/\\1/Ip" \
    -e "s/^[[:space:]]*listenaddress[[:space:]=\"]*\\[[^]]*\\]:$port$end/\\1/Ip" \
    "$base"/etc/ssh/sshd_config "$base"/etc/ssh/sshd_config.d/*.conf
  # The last line of a file may have no end.
  echo
  sed -n -e "s/^[[:space:]]*ListenStream[[:space:]]*=[[:space:]]*$port[[:space:]]*$/\\1/p" \
    -e "s/^[[:space:]]*ListenStream[[:space:]]*=.*:$port[[:space:]]*$/\\1/p" \
    "$base"/etc/systemd/system/ssh.socket "$base"/etc/systemd/system/ssh.socket.d/*.conf
} 2>/dev/null | sort -nu | while read -r found; do
  if [ -n "$found" ] && [ "$found" -ne 22 ] && [ "$found" -le 65535 ]; then echo "$found"; fi
done | head -n 16
exit 0
