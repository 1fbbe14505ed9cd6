#!/usr/bin/perl
# Starts Squid in its folder, as its own account: certificates that it made for another authority are removed before, because
# clients would get them although they trust the new one only. It waits for the decision process: a Squid that starts before it
# takes its services for dead, and answers the first requests with a fault. Needs nothing beyond the package perl-base.
# Arguments: the folder with the authority, the folder for made certificates, the socket to wait for, and the command.

use strict;
use warnings;
use IO::Socket::UNIX;

my ($folder, $kept, $decisions, @command) = @ARGV;
@command or die "Missing arguments: the two folders, the socket and the command.\n";
chdir $folder or die "The folder of the proxy cannot be entered: $!\n";
umask 0077;

sub contents {
    my ($path) = @_;
    open my $file, '<', $path or return '';
    local $/;
    my $text = <$file>;
    return defined $text ? $text : '';
}

my ($authority) = contents('authority.pem') =~ /(-----BEGIN CERTIFICATE-----[A-Za-z0-9+\/=\s]+-----END CERTIFICATE-----)/;
defined $authority or die "The proxy has no certificate authority.\n";
my ($database, $mark) = ("$kept/ssl_db", "$kept/authority");
if (contents($mark) ne $authority or not -e "$database/index.txt") {
    unlink $mark;
    unlink glob("$database/certs/*"), glob("$database/*");
    rmdir "$database/certs";
    rmdir $database;
    # Its words are for the log; standard output is the record of requests.
    open my $output, '>&', \*STDOUT or die "Standard output cannot be kept: $!\n";
    open STDOUT, '>&', \*STDERR or die "Standard output cannot be changed: $!\n";
    system('/usr/lib/squid/security_file_certgen', '-c', '-s', $database, '-M', '16MB') == 0
        or die "The folder for made certificates cannot be prepared.\n";
    open STDOUT, '>&', $output or die "Standard output cannot be changed: $!\n";
    open my $file, '>', $mark or die "The folder for made certificates cannot be written: $!\n";
    print $file $authority;
    close $file or die "The folder for made certificates cannot be written: $!\n";
}
# Not for ever: without decisions it refuses or passes, as configured.
for (1 .. 150) {
    last if IO::Socket::UNIX->new(Peer => $decisions);
    select undef, undef, undef, 0.1;
}
# Before 6.13 Squid ends a connection when its buffer for a request is full (short-reads/index.ts).
if (open my $asked, '-|', $command[0], '-v') {
    my ($major, $minor) = do { local $/; <$asked> // '' } =~ /Version (\d+)\.(\d+)/;
    close $asked;
    if (defined $minor and $major * 100 + $minor < 613) {
        if (-r 'short-reads.so') { $ENV{LD_PRELOAD} = "$folder/short-reads.so" }
        else { print STDERR "The file short-reads.so is missing: long uploads to slow servers will break off.\n" }
    }
}
exec { $command[0] } @command or die "failed to execute $command[0]: $!\n";
