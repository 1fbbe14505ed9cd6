# Stands in for the web proxy in tests of the ruleset: takes connections that were led to a port, says so, and opens one to
# the original destination with the address of the client.
use strict; use warnings; use Socket;
$SIG{CHLD} = 'IGNORE';
sub transparent { my $s; socket($s, PF_INET, SOCK_STREAM, 6) or die; setsockopt($s, 0, 19, 1) or die "IP_TRANSPARENT: $!"; return $s }
my @listeners;
for my $port (@ARGV) {
  my $listener = transparent();
  setsockopt($listener, SOL_SOCKET, SO_REUSEADDR, 1);
  bind($listener, sockaddr_in($port, inet_aton('127.0.0.1'))) or die "bind: $!";
  listen($listener, 64) or die;
  push @listeners, $listener;
}
for my $listener (@listeners) {
  next if fork();
  while (my $peer = accept(my $near, $listener)) {
    if (fork() == 0) {
      my (undef, $client) = sockaddr_in($peer);
      my $far = transparent();
      bind($far, sockaddr_in(0, $client)) or die "bind: $!";
      $SIG{ALRM} = sub { syswrite($near, 'proxy: silence'); exit };
      alarm(1);
      if (connect($far, getsockname($near))) {
        syswrite($near, 'proxy: ');
        while (sysread($far, my $data, 65536)) { syswrite($near, $data) }
      } else { syswrite($near, $!{ECONNREFUSED} ? 'proxy: refused' : "proxy: $!") }
      exit;
    }
    close($near);
  }
  exit;
}
print "ready\n"; close(STDOUT);
sleep;
