# Sends packets as fast as one core can, each from the next source port, so that every packet is the first of a
# connection; with a step of 0 all are of one. Prints the seconds it took. TCP checksums are left out.
# Arguments: tcp or udp, source address, destination address, destination port, first source port, step, count.

use strict;
use warnings;
use Socket;
use Time::HiRes 'time';

my ($protocol, $from, $to, $port, $first, $step, $count) = @ARGV;
socket(my $socket, PF_INET, SOCK_RAW, 255) or die "no raw socket: $!";
my $ends = pack('nn', 0, $port);
my $payload = $protocol eq 'tcp' ? $ends . pack('NNnnnn', 1, 0, 0x5002, 65535, 0, 0) : $ends . pack('nn', 8, 0);
my $number = $protocol eq 'tcp' ? 6 : 17;
my $length = 20 + length $payload;
my $packet = pack('CCnnnCCna4a4', 0x45, 0, $length, 0, 0x4000, 64, $number, 0, inet_aton($from), inet_aton($to)) . $payload;
my $target = sockaddr_in(0, inet_aton($to));
my $begun = time;
for my $sent (0 .. $count - 1) {
    substr($packet, 20, 2) = pack('n', $first + $sent * $step);
    send($socket, $packet, 0, $target) or die "cannot send: $!";
}
printf "%.6f\n", time - $begun;
