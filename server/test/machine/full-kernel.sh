#!/bin/bash
# A Debian machine with its own stock kernel (QEMU; emulated, as KVM is not usable everywhere) and two cards (wan0, lan0) between
# a client and a small internet: for what this machine's kernel or a container cannot show (WireGuard, PPP, IPsec, flowtables,
# qdiscs, AppArmor, cgroup limits). Needs root.
# Verbs:
#   make ROOT SUITE [PACKAGES...]   ROOT/tree (bookworm or trixie, the stock kernel, this machine's apt set-up) and its image
#   chroot ROOT CMD...              a command in ROOT/tree at full speed and with network; the image is made again
#   boot ROOT|SAVED NAME [OPTS...]  boots and returns when systemd has started everything; a SAVED one just goes on.
#                                   VM_MEM=1536 (MB) VM_CPUS=2 VM_ACCEL=tcg VM_UPLINK=1 (a third card, up0, to this machine's network)
#   enter NAME CMD...               a command inside, as root: stdin, stdout, stderr, exit status; six at a time
#   copy NAME SRC DST               a file, or what is in a folder, from here to DST inside
#   beside NAME client|inet CMD...  a command in the client or in the internet next to it
#   save NAME SAVED                 freezes it (memory and disk) into the folder SAVED, which boots any number of times; ends NAME
#   stop NAME | kill NAME           powers it off | ends it at once. Its disk is gone then. Console: /dev/shm/vm-NAME/console
# Packages needed here: qemu-system-x86 (on arm64: qemu-system-arm) qemu-utils mmdebstrap busybox xz-utils zstd.
set -u
ARCH=$(dpkg --print-architecture)
die() { echo "full-kernel: $*" >&2; exit 1; }
up() { D=/dev/shm/vm-$1; P=$(cat "$D/pid" 2>/dev/null) && [ -d "/proc/$P" ] || die "machine $1 is not up"; }
in_tree() { unshare --mount --pid --fork --kill-child bash -c 'R=$0; mount --rbind "$R" "$R"; mount -t proc proc "$R/proc"; mount --rbind /dev "$R/dev"; mount --make-rslave "$R/dev"; mount -t sysfs sysfs "$R/sys"; exec chroot "$R" /usr/bin/env -i HOME=/root NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt DEBIAN_FRONTEND=noninteractive TERM=dumb LC_ALL=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"' "$@"; }
monitor() { perl -MIO::Socket::UNIX -e 'my $s=IO::Socket::UNIX->new(Peer=>shift) or die "no monitor\n"; $s->autoflush; for my $c ("",@ARGV) { my $b=""; print $s "$c\n" if length $c; until ($b =~ /\(qemu\) $/) { sysread($s,$b,65536,length $b) or last } print STDERR "$1\n" if $b =~ /^(Error.*?)\r?$/m }' "$D/monitor" "$@"; }
image() { # the kernel unpacked (emulated, that takes seconds), an initrd that only mounts the disk, the disk
  local R=$1 T=$1/tree V O I m B; V=$(ls "$T/lib/modules" | sort -V | tail -1); B=$(command -v busybox)
  if [ "$ARCH" = arm64 ]; then rm -f "$R/disk"; gzip -dc < "$T/boot/vmlinuz-$V" > "$R/vmlinux" 2>/dev/null || cp "$T/boot/vmlinuz-$V" "$R/vmlinux"; else for O in $(LC_ALL=C grep -aboP '\xfd7zXZ\x00|\x28\xb5\x2f\xfd' "$T/boot/vmlinuz-$V" | cut -d: -f1); do
    for m in xz zstd; do tail -c+$((O + 1)) "$T/boot/vmlinuz-$V" | $m -dcq > "$R/vmlinux" 2>/dev/null; grep -qsam1 ELF <(head -c4 "$R/vmlinux") && break 2; done
  done; rm -f "$R/disk"; grep -qsam1 ELF <(head -c4 "$R/vmlinux") || die "no kernel found in vmlinuz-$V"; fi
  I=$(mktemp -d); mkdir -p "$I"/{root,dev,m}; cp --parents -L "$B" $(ldd "$B" | grep -o '/[^ ]*') "$I"
  { printf '#!%s sh\nb=%s\n$b mount -t devtmpfs dev /dev\n' "$B" "$B"
    for O in virtio_pci virtio_blk ext4; do in_tree "$T" modprobe -S "$V" --show-depends "$O"; done | awk '/^insmod/ && !s[$2]++ {print $2}' | while read -r m; do
      O=${m##*/}; O=${O%.xz}; case $m in *.xz) xz -dc "$T$m" > "$I/m/$O" ;; *) cp "$T$m" "$I/m" ;; esac; echo "\$b insmod /m/$O"; done
    echo '$b mount -t ext4 /dev/vda /root && exec $b switch_root /root /sbin/init'; } > "$I/init"; chmod 755 "$I/init"
  (cd "$I" && find . | busybox cpio -o -H newc 2>/dev/null) > "$R/initrd"; rm -r "$I"
  mke2fs -q -t ext4 -O ^has_journal -m0 -d "$T" "$R/disk" "${VM_DISK:-16G}" || die "no image"; }
verb=${1:-}; shift || true
case $verb in
make)
  R=$1; S=$2; shift 2; T=$R/tree; mkdir -p "$R" || exit 1; L=$(mktemp)
  awk -v s="$S" '/^URIs:.*debian/ { n = /security/ ? s "-security" : s " " s "-updates"; if (!u[n]++) printf "Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n\n", $2, n }' /etc/apt/sources.list.d/debian.sources > "$L"
  P=systemd,systemd-sysv,dbus,udev,kmod,ca-certificates,iproute2,iputils-ping,procps,less,apparmor,initramfs-tools,linux-image-$ARCH; for p in "$@"; do P+=,$p; done
  mmdebstrap --quiet --mode=root --variant=minbase --include="$P" --setup-hook='cp /etc/apt/apt.conf.d/99* "$1/etc/apt/apt.conf.d/" 2>/dev/null; mkdir -p "$1/etc/initramfs-tools/conf.d"; echo MODULES=list > "$1/etc/initramfs-tools/conf.d/vm"' "$S" "$T" - < "$L" || die "no root file system"
  rm -f "$T"/etc/apt/sources.list{,.d/*}; mv "$L" "$T/etc/apt/sources.list.d/debian.sources"; chmod 644 "$T/etc/apt/sources.list.d/debian.sources"
  cp -L /etc/resolv.conf "$T/etc/resolv.conf"; echo vm > "$T/etc/hostname"; { cat /etc/hosts; echo "127.0.1.1 vm"; } > "$T/etc/hosts"
  mkdir -p "$T/usr/local/share/ca-certificates" && cp -r /usr/local/share/ca-certificates/. "$T/usr/local/share/ca-certificates/" 2>/dev/null; in_tree "$T" update-ca-certificates
  for c in "wan0 02:00:cb:00:71:02" "lan0 02:00:0a:0a:00:01" "up0 02:00:0a:00:02:0f"; do printf '[Match]\nMACAddress=%s\n[Link]\nName=%s\n' ${c#* } ${c% *} > "$T/etc/systemd/network/10-${c% *}.link"; done
  # what only costs time in an emulated machine: drivers of cards it does not have, timers
  printf 'blacklist %s\n' ahci ata_piix ata_generic i2c_i801 i2c_piix4 lpc_ich iTCO_wdt intel_agp psmouse mousedev pcspkr serio_raw evdev button sg sr_mod floppy rapl > "$T/etc/modprobe.d/vm.conf"
  for u in getty@tty1.service serial-getty@ttyS0.service modprobe@{configfs,dm_mod,drm,efi_pstore,fuse,loop}.service apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer; do ln -sf /dev/null "$T/etc/systemd/system/$u"; done
  cat > "$T/usr/local/sbin/vm-agent" <<'AGENT'
#!/usr/bin/perl
# Runs the commands that the host sends over the virtio ports cmd1..cmd6; one process per port. Frames: type, length, data.
# From the host: c(ommand, joined by NUL) i(nput) e(nd of input); to the host: o(utput) E(rrors) x (exit status).
use POSIX; use Fcntl; use Socket; my $io = POSIX::SigSet->new(SIGPOLL); my $none = POSIX::SigSet->new;
$SIG{IO} = $SIG{CHLD} = sub {}; $SIG{PIPE} = 'IGNORE'; sigprocmask(SIG_BLOCK, $io);
my @ports; until (@ports) { for my $n (glob "/sys/class/virtio-ports/*/name") { open my $f, $n; push @ports, "/dev/" . (split m{/}, $n)[4] if <$f> =~ /^cmd/ } sleep 1 unless @ports }
for my $dev (@ports) { next if fork; serve($dev) while 1 } wait while 1;
sub serve {
  sysopen(my $p, shift, O_RDWR) or return sleep 1; fcntl $p, F_SETOWN, $$ + 0; fcntl $p, F_SETFL, O_RDWR | O_ASYNC; my $next;
  my $get = sub { my ($n, $b) = (shift, ''); while (length $b < $n) { my $r = sysread $p, $b, $n - length $b, length $b; next if !defined $r && $!{EINTR}; return unless $r } $b };
  my $frame = sub { my $h = $get->(5); return unless defined $h; my ($t, $n) = unpack 'aN', $h; my $d = $n ? $get->($n) : ''; defined $d ? ($t, $d) : () };
  my $put = sub { my $b = pack('aN', $_[0], length $_[1]) . $_[1]; while (length $b) { my $w = syswrite $p, $b; next if !defined $w && $!{EINTR}; return 0 unless $w; substr $b, 0, $w, '' } 1 };
  while (1) {
    my ($t, $d) = $next ? @$next : $frame->(); $next = undef;
    unless (defined $t) { sigsuspend($none); next } next if $t ne 'c';
    socketpair my $in, my $cin, AF_UNIX, SOCK_STREAM, 0; pipe my $out, my $cout; pipe my $err, my $cerr; my $pid = fork;
    unless ($pid) { setpgrp; sigprocmask(SIG_SETMASK, $none); $SIG{$_} = 'DEFAULT' for qw(IO CHLD PIPE); chdir '/root';
      %ENV = (HOME => '/root', TERM => 'dumb', LC_ALL => 'C.UTF-8', PATH => '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin');
      dup2(fileno $cin, 0); dup2(fileno $cout, 1); dup2(fileno $cerr, 2); POSIX::close($_) for 3 .. 40;
      my @c = split /\0/, $d, -1; exec { $c[0] } @c; syswrite STDERR, "$c[0]: $!\n"; POSIX::_exit(127) }
    close $_ for $cin, $cout, $cerr; fcntl $_, F_SETFL, O_NONBLOCK for $in, $out, $err;
    my ($buf, $eof, $gone, $lost, $status) = ('', 0, 0, 0); # the end of the connection before may be seen late
    my %open = (o => $out, E => $err);
    my $drain = sub { for my $k (keys %open) { while (1) { my $r = sysread $open{$k}, my $b, 32768; if ($r) { $put->($k, $b) or $gone = 1 } else { delete $open{$k} if defined $r; last } } } };
    until (defined $status || $gone || $next) {
      my ($r, $w) = ('', ''); vec($r, fileno $p, 1) = 1 unless length $buf; vec($r, fileno $_, 1) = 1 for values %open; vec($w, fileno $in, 1) = 1 if length $buf;
      my $n = select $r, $w, undef, 0.5; if ($n > 0) {
        if (vec $r, fileno $p, 1) { my ($t, $d) = $frame->(); if (!defined $t) { $gone = ++$lost > 20; select undef, undef, undef, 0.1 } elsif ($t eq 'c') { $next = [$t, $d] } elsif ($t eq 'i') { $buf .= $d } elsif ($t eq 'e') { $eof = 1 } }
        if (length $buf) { my $k = syswrite $in, $buf; if ($k) { substr $buf, 0, $k, '' } elsif (!$!{EAGAIN}) { $buf = '' } } }
      if ($eof == 1 && !length $buf) { shutdown $in, 1; $eof = 2 }
      $status = $? if waitpid($pid, WNOHANG) == $pid; $drain->() }
    if (defined $status) { $put->('x', pack 'N', $status & 127 ? 128 + ($status & 127) : $status >> 8) } else { kill 'KILL', -$pid; waitpid $pid, 0 } } }
AGENT
  chmod 755 "$T/usr/local/sbin/vm-agent"; printf '[Unit]\nDescription=Commands from the host\nDefaultDependencies=no\nAfter=systemd-udevd.service\n[Service]\nExecStart=/usr/local/sbin/vm-agent\nRestart=always\nKillMode=process\nOOMScoreAdjust=-1000\nTasksMax=infinity\n[Install]\nWantedBy=sysinit.target\n' > "$T/etc/systemd/system/vm-agent.service"
  echo virtio_console > "$T/etc/modules-load.d/vm.conf"; in_tree "$T" systemctl enable --quiet vm-agent.service
  in_tree "$T" sh -c 'apt-get -q update >/dev/null; systemd-machine-id-setup 2>/dev/null; journalctl --update-catalog; touch /etc/.updated /var/.updated'; image "$R" ;;
chroot) R=$1; shift; in_tree "$R/tree" "$@" || exit; touch "$R"/tree/{etc,var}/.updated; image "$R" ;;
boot)
  R=$(realpath "$1"); N=$2; shift 2; D=/dev/shm/vm-$N; C=vm-$N-client; I=vm-$N-inet; [ -e "$D" ] && die "$D is there: end it first"
  mkdir -p "$D/www"; echo "internet of $N" > "$D/www/index.html"; W=; M=${VM_MEM:-1536}; U=${VM_CPUS:-2}; A=${VM_ACCEL:-tcg,thread=multi,tb-size=256}; X=${VM_UPLINK:-}
  if [ -f "$R/saved" ]; then . "$R/saved"; RAM="mem-path=$R/ram,share=off"; set -- "$@" -incoming defer; else K=$R; RAM="mem-path=$D/ram,share=on"; fi
  B=$(stat -c %i.%Y "$K/disk"); printf 'K=%q M=%q U=%q A=%q X=%q W=%q\n' "$K" "$M" "$U" "$A" "$X" "$B" > "$D/saved"
  [ "${W:-$B}" = "$B" ] || { rm -r "$D"; die "$K was made anew after $R was saved: save it again"; }
  if [ -f "$R/saved" ]; then qemu-img create -q -f qcow2 -F qcow2 -b "$R/disk" "$D/disk"; else qemu-img create -q -f qcow2 -F raw -b "$R/disk" "$D/disk"; fi || die "no disk"
  for i in 1 2 3 4 5 6; do set -- "$@" -chardev "socket,id=c$i,path=$D/cmd$i,server=on,wait=off" -device "virtserialport,chardev=c$i,name=cmd$i"; done
  [ "$X" ] && set -- -netdev user,id=x -device virtio-net-pci,netdev=x,mac=02:00:0a:00:02:0f,romfile= "$@"
  if [ "$ARCH" = arm64 ]; then Q=(qemu-system-aarch64 -machine virt,gic-version=3,memory-backend=m -cpu max,pauth-impdef=on); T=ttyAMA0; else Q=(qemu-system-x86_64 -machine q35,memory-backend=m -cpu max,-la57); T=ttyS0; fi
  "${Q[@]}" -name "$N" -accel "$A" -smp "$U" -m "$M" -object "memory-backend-file,id=m,size=${M}M,$RAM" -nodefaults -no-user-config -display none \
    -kernel "$K/vmlinux" -initrd "$K/initrd" -append "console=$T root=/dev/vda rw quiet mitigations=off nokaslr init_on_alloc=0 tsc=reliable no_timer_check panic=5 systemd.show_status=0 ${VM_APPEND:-}" \
    -serial "file:$D/console" -monitor "unix:$D/monitor,server=on,wait=off" -drive "file=$D/disk,if=none,id=d,cache=unsafe" -device virtio-blk-pci,drive=d -device virtio-rng-pci \
    -netdev "tap,id=w,ifname=v$$w,script=no,downscript=no" -device virtio-net-pci,netdev=w,mac=02:00:cb:00:71:02,romfile= -netdev "tap,id=l,ifname=v$$l,script=no,downscript=no" -device virtio-net-pci,netdev=l,mac=02:00:0a:0a:00:01,romfile= \
    -device virtio-serial-pci "$@" -daemonize -pidfile "$D/pid" || die "QEMU did not start"
  for n in $C $I; do ip netns add $n; ip -n $n link set lo up; done; ip link set "v$$w" netns $I name eth0; ip link set "v$$l" netns $C name eth0
  ip -n $I address add 198.51.100.10/32 dev lo; ip -n $I address add 203.0.113.1/24 dev eth0; ip -n $I link set eth0 up; ip -n $I route add 10.10.0.0/24 via 203.0.113.2
  ip -n $C address add 10.10.0.2/24 dev eth0; ip -n $C link set eth0 up; ip -n $C route add default via 10.10.0.1
  ip netns exec $I busybox httpd -f -p 198.51.100.10:80 -h "$D/www" >/dev/null 2>&1 & echo $! > "$D/web"
  if [ -f "$R/saved" ]; then up "$N"; monitor "migrate_set_capability x-ignore-shared on" "migrate_incoming \"exec:cat '$R/state'\""; "$0" enter "$N" date -s "@$(date +%s.%N)" </dev/null >/dev/null
  else "$0" enter "$N" systemctl is-system-running --wait </dev/null >/dev/null; fi ;;
enter)
  N=$1; shift; up "$N"; exec perl -MIO::Socket::UNIX -MFcntl=:flock -e '
    my $d = shift; my ($l, $s); until ($s) { for my $i (1 .. 6) { open $l, ">", "$d/lock$i"; next unless flock $l, LOCK_EX | LOCK_NB; $s = IO::Socket::UNIX->new(Peer => "$d/cmd$i"); last } select undef, undef, undef, 0.2 unless $s }
    sub put { my $b = pack("aN", $_[0], length $_[1]) . $_[1]; while (length $b) { my $w = syswrite $s, $b; exit 255 unless $w; substr $b, 0, $w, "" } } $SIG{PIPE} = "IGNORE";
    put("c", join "\0", @ARGV); my ($in, $b) = (1, ""); while (1) { my $r = ""; vec($r, fileno $s, 1) = 1; vec($r, fileno STDIN, 1) = 1 if $in; select $r, undef, undef, undef;
      if ($in && vec $r, fileno STDIN, 1) { my $n = sysread STDIN, my $x, 32768; if ($n) { put("i", $x) } else { put("e", ""); $in = 0 } }
      if (vec $r, fileno $s, 1) { sysread($s, $b, 65536, length $b) or do { print STDERR "full-kernel: the machine went away\n"; exit 255 };
        while (length $b >= 5) { my ($t, $n) = unpack "aN", $b; last if length $b < 5 + $n; my $x = substr $b, 5, $n; substr $b, 0, 5 + $n, ""; if ($t eq "x") { exit unpack "N", $x } my $o = $t eq "o" ? *STDOUT : *STDERR; while (length $x) { my $w = syswrite $o, $x; last unless $w; substr $x, 0, $w, "" } } } }' "$D" "$@" ;;
copy)
  N=$1; S=$2; T=$3; if [ -d "$S" ]; then tar -C "$S" -c . | "$0" enter "$N" sh -c 'mkdir -p "$1" && tar -C "$1" -x --no-same-owner' sh "$T"; else "$0" enter "$N" sh -c 'mkdir -p "$(dirname "$1")" && cat > "$1" && chmod "$2" "$1"' sh "$T" "$(stat -c %a "$S")" < "$S"; fi ;;
beside) N=$1; W=$2; shift 2; up "$N"; exec ip netns exec "vm-$N-$W" "$@" ;;
save)
  N=$1; S=$2; up "$N"; mkdir -p "$S" || exit 1; S=$(realpath "$S"); [ -f "$D/ram" ] || die "$N is a saved one already"
  monitor "migrate_set_capability x-ignore-shared on" "migrate_set_parameter max-bandwidth 100G" "migrate \"exec:cat > '$S/state'\"" quit
  [ -s "$S/state" ] || die "not saved"; while [ -d "/proc/$P" ]; do sleep 0.1; done; cp --sparse=always "$D/ram" "$D/disk" "$D/saved" "$S/" && exec "$0" kill "$N" ;;
stop) up "$1"; "$0" enter "$1" systemctl poweroff </dev/null; for _ in $(seq 600); do [ -d "/proc/$P" ] || break; sleep 0.1; done; exec "$0" kill "$1" ;;
kill)
  D=/dev/shm/vm-$1; for f in pid web; do p=$(cat "$D/$f" 2>/dev/null) && grep -qsz -e "$D" "/proc/$p/cmdline" && kill "$p"; done
  p=$(cat "$D/pid" 2>/dev/null) && while [ -d "/proc/$p" ]; do sleep 0.1; done
  for n in client inet; do ip netns del "vm-$1-$n" 2>/dev/null; done; rm -rf "$D" ;;
*) sed -n '2,15p' "$0"; exit 2 ;;
esac
