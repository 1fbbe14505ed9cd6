# Frames to and from a network device, for packets that no kernel would send: each line of standard input is a frame in hexadecimal,
# and each frame that comes in is a line of standard output. Argument: the device.
use strict;
use warnings;
use Socket;

my ($device) = @ARGV;
my ($packet, $all) = (17, 0x0300);
socket(my $socket, $packet, SOCK_RAW, unpack('S', pack('n', 3))) or die "socket: $!";
my $request = pack('a16 x24', $device);
ioctl($socket, 0x8933, $request) or die "$device: $!";
my $index = unpack('x16 i', $request);
bind($socket, pack('S n i S C C a8', $packet, 3, $index, 0, 0, 0, '')) or die "bind: $!";
setsockopt($socket, SOL_SOCKET, SO_RCVBUF, 8 * 1024 * 1024);
$| = 1;
print "ready\n";

my $pending = '';
while (1) {
  my $ready = '';
  vec($ready, fileno(STDIN), 1) = 1;
  vec($ready, fileno($socket), 1) = 1;
  select($ready, undef, undef, undef) >= 0 or next;
  if (vec($ready, fileno($socket), 1)) {
    my $from = recv($socket, my $frame, 65600, 0);
    # Of what this host sends itself nothing is told.
    print unpack('H*', $frame), "\n" if defined $from and unpack('x10 C', $from) != 4;
  }
  next unless vec($ready, fileno(STDIN), 1);
  sysread(STDIN, $pending, 65536, length $pending) or last;
  while ($pending =~ s/^([0-9a-f]*)\n//) {
    send($socket, pack('H*', $1), 0) or print "refused $!\n";
  }
}
