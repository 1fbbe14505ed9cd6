# Sends one UDP packet from each of many hosts, every one with its own card and address, as if all were in the segment of
# this device. Arguments: device, MAC of the gateway, first host, number of hosts, destination address.
# Host n has the address 10.64.0.0 + 16 + n and the card 02:40:0a:40 followed by the last two bytes of its address.

use strict;
use warnings;
use Socket;

my ($device, $gateway, $first, $count, $to) = @ARGV;
my ($line) = grep { /: \Q$device\E[\@:]/ } split /\n/, `ip -o link`;
my ($index) = $line =~ /^(\d+):/;
my $card = pack('H12', $gateway =~ s/://gr);
# AF_PACKET, raw.
socket(my $socket, 17, SOCK_RAW, 0) or die "no packet socket: $!";
my $address = pack('SnlSCC', 17, 0x0800, $index, 1, 0, 6) . $card . "\0\0";
for my $host ($first .. $first + $count - 1) {
    my $low = 16 + $host;
    my $source = pack('CCn', 10, 64, $low);
    my $ethernet = $card . pack('H8n', '02400a40', $low) . pack('n', 0x0800);
    my $header = pack('CCnnnCCn', 0x45, 0, 28, 0, 0x4000, 64, 17, 0) . $source . inet_aton($to);
    my $sum = 0;
    $sum += $_ for unpack('n10', $header);
    $sum = ($sum & 0xffff) + ($sum >> 16) while $sum >> 16;
    substr($header, 10, 2) = pack('n', ~$sum & 0xffff);
    send($socket, $ethernet . $header . pack('nnnn', 4000, 9, 8, 0), 0, $address) or die "cannot send: $!";
}
