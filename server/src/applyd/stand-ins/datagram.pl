#!/usr/bin/perl
# Sends a text to a port of this machine and says whether it arrived: "arrived" or "lost".
# Arguments: address, port, text, and after how many seconds it counts as lost.
use strict;
use warnings;
use IO::Select;
use IO::Socket::IP;
use Socket qw(SOCK_DGRAM);

my ($address, $port, $text, $seconds) = @ARGV;
my $receiver = IO::Socket::IP->new(LocalHost => $address, LocalPort => $port, Type => SOCK_DGRAM) or die "$@\n";
my $sender = IO::Socket::IP->new(PeerHost => $address, PeerPort => $port, Type => SOCK_DGRAM) or die "$@\n";
$sender->send($text) // print STDERR "not sent: $!\n";
my $isThere = IO::Select->new($receiver)->can_read($seconds);
print $isThere ? "arrived\n" : "lost\n";
