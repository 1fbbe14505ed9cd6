#!/usr/bin/perl
# The helper that Squid starts for its questions: it carries lines to the decision process over a unix socket and answers
# back. It never ends before Squid does. Where the decision process is away or silent, it answers "down" for every open
# question at once, and Squid does what is configured for that. What a client can cause is answered with "full", which is always
# refused: a question that is too long, a decision process that has more to do than it can, and one that has ended a moment ago.
# Needs nothing beyond the package perl-base.
# Arguments: the path of the socket; optionally the milliseconds after which an open question counts as not answered, those
# that a decision process may take to come back, and the percentage of a silence from which on it counts as working.

use strict;
use warnings;
use Errno qw(EAGAIN ECONNREFUSED EINTR EINPROGRESS ENOENT);
use Fcntl qw(F_GETFL F_SETFL O_NONBLOCK);
use POSIX ();
use Socket qw(AF_UNIX SOCK_STREAM SOL_SOCKET SO_PEERCRED pack_sockaddr_un);

my ($path, $limit_ms, $return_ms, $working_percent) = @ARGV;
defined $path && length $path or die "Missing argument: the path of the socket.\n";
my $limit = ($limit_ms || 4000) / 1000;
my $return = (defined $return_ms ? $return_ms : 60_000) / 1000;
my $working = (defined $working_percent ? $working_percent : 10) / 100;

my $retry = 0.1;
my $read_size = 256 * 1024;
# A URL of 64 KB has three times that when every character is escaped.
my $longest_question = 1024 * 1024;
my $longest_answer = 64 * 1024;
# More is not read from Squid until the decision process has taken what is there.
my $most_unsent = 8 * 1024 * 1024;

my $ticks = POSIX::sysconf(&POSIX::_SC_CLK_TCK) || 100;
# Seconds that no clock of the machine can turn back.
sub now { return (POSIX::times())[0] / $ticks }

my $peer;             # the connection; undef while there is none
my $unsent = '';      # for the decision process
my $answers = '';     # from it, not complete yet
my $questions = '';   # from Squid, not complete yet
my $is_skipping = 0;  # inside of a question that is too long
# Channel of Squid => 1. Squid counts them up and uses none twice, and who is late loses its connection: an answer meets no other question.
my %open;
my @asked;            # [when, channels] of what was read together, oldest first
my $next_try = 0;
# After a silence the next questions do not wait for an answer to the first: "down" until it has answered a ping.
my $is_doubtful = 0;
my $pinged = 0;
my $heard;            # when it was last known to live
my $pid = 0;          # of the decision process, while it is known
my ($worked, $worked_at) = (0, 0); # its processor time, in seconds, and when that was read
my $is_working = 0;   # it was silent because it had too much to do

sub to_squid {
    my ($text) = @_;
    my $at = 0;
    while ($at < length $text) {
        my $written = syswrite STDOUT, $text, length($text) - $at, $at;
        if (defined $written) { $at += $written }
        elsif (!$!{EINTR} && !$!{EAGAIN}) { exit 0 }
    }
}

sub full { return join '', map { "$_ OK v_TLS=full v_REQ=full v_REP=full\n" } @_ }

sub down {
    return full(@_) if $is_working || (defined $heard && !$is_doubtful && now() - $heard < $return);
    return join '', map { "$_ OK v_TLS=down v_REQ=down v_REP=down\n" } @_;
}

# One that has ended has worked for nobody.
sub processor_time {
    open my $file, '<', "/proc/$pid/stat" or return 0;
    my $line = <$file>;
    my @fields = split / /, defined $line && $line =~ /^.*\) (.*)$/s ? $1 : '';
    return @fields > 12 ? ($fields[11] + $fields[12]) / $ticks : 0;
}

sub look_at_work { ($worked, $worked_at) = (processor_time(), now()) }

sub lose {
    close $peer if $peer;
    $peer = undef;
    $unsent = $answers = '';
    my @channels = keys %open;
    %open = ();
    @asked = ();
    to_squid(down(@channels)) if @channels;
}

# It did not hang before, so it lived until now.
sub has_ended {
    $heard = now() if $is_working || !$is_doubtful;
    $is_doubtful = $is_working = 0;
}

sub reach {
    $next_try = now() + $retry;
    socket(my $socket, AF_UNIX, SOCK_STREAM, 0) or return;
    fcntl $socket, F_SETFL, (fcntl($socket, F_GETFL, 0) || 0) | O_NONBLOCK;
    # A socket whose queue is full refuses at once, too.
    if (!connect $socket, pack_sockaddr_un($path)) {
        has_ended() if $is_doubtful && ($!{ECONNREFUSED} || $!{ENOENT});
        return;
    }
    $peer = $socket;
    my $found = getsockopt $socket, SOL_SOCKET, SO_PEERCRED;
    $pid = defined $found ? unpack 'l', $found : 0;
    look_at_work() if !$is_doubtful;
    $unsent = "0 PING\n";
    $pinged = now();
    send_rest();
}

sub send_rest {
    while (length $unsent) {
        my $written = syswrite $peer, $unsent;
        if (defined $written) { substr $unsent, 0, $written, '' }
        elsif ($!{EINTR}) { next }
        elsif ($!{EAGAIN}) { return }
        else { return lose() }
    }
}

sub ask {
    my ($text) = @_;
    my @channels = $text =~ /^([0-9]{1,10}) /mg or return;
    return to_squid(down(@channels)) if !$peer || $is_doubtful;
    my $now = now();
    look_at_work() if !@asked && $now - $worked_at >= $limit / 4;
    @open{@channels} = (1) x @channels;
    push @asked, [$now, \@channels];
    # As it is: the decision process leaves out what is not a question.
    $unsent .= $text;
    send_rest();
}

sub take_questions {
    my $count = sysread STDIN, $questions, $read_size, length $questions;
    if (!defined $count) { return if $!{EINTR} || $!{EAGAIN}; exit 0 }
    exit 0 if $count == 0;
    if ($is_skipping) {
        my $end = index $questions, "\n";
        if ($end < 0) { $questions = ''; return }
        substr $questions, 0, $end + 1, '';
        $is_skipping = 0;
    }
    my $end = rindex $questions, "\n";
    ask(substr $questions, 0, $end + 1, '') if $end >= 0;
    if (length $questions > $longest_question) {
        to_squid(full($1)) if $questions =~ /^([0-9]{1,10}) /;
        $questions = '';
        $is_skipping = 1;
    }
}

sub take_answers {
    my $count = sysread $peer, $answers, $read_size, length $answers;
    if (!defined $count) { return if $!{EINTR} || $!{EAGAIN}; has_ended(); return lose() }
    if ($count == 0) { has_ended(); return lose() }
    $heard = now();
    my $end = rindex $answers, "\n";
    my $reply = '';
    if ($end >= 0) {
        my $lines = substr $answers, 0, $end + 1, '';
        while ($lines =~ /^(([0-9]{1,10}) .*\n)/mg) {
            if (delete $open{$2}) { $reply .= $1 }
            elsif ($2 eq '0') { $is_doubtful = $is_working = $pinged = 0; look_at_work() }
        }
    }
    to_squid($reply) if length $reply;
    lose() if length $answers > $longest_answer;
}

# Answers may come in any order, so those that came are left out when they are the oldest.
sub watch {
    @asked = () if !%open;
    while (@asked) {
        my $channels = $asked[0][1];
        shift @$channels while @$channels && !exists $open{$channels->[0]};
        last if @$channels;
        shift @asked;
    }
    my $oldest = @asked ? $asked[0][0] : $pinged;
    return if !$peer || !$oldest || now() - $oldest < $limit;
    $is_doubtful = 1;
    $is_working = processor_time() - $worked >= (now() - $worked_at) * $working;
    look_at_work();
    lose();
}

binmode $_ for \*STDIN, \*STDOUT;
$SIG{PIPE} = 'IGNORE';
reach();
while (1) {
    my ($in, $out) = ('', '');
    vec($in, fileno(STDIN), 1) = 1 if length $unsent < $most_unsent;
    if ($peer) {
        vec($in, fileno($peer), 1) = 1;
        vec($out, fileno($peer), 1) = 1 if length $unsent;
    }
    my $is_waiting = !$peer || @asked || $pinged;
    my $ready = select $in, $out, undef, $is_waiting ? 0.1 : undef;
    if ($ready > 0) {
        my $own = $peer ? fileno $peer : -1;
        take_answers() if $own >= 0 && vec $in, $own, 1;
        send_rest() if $peer && $own >= 0 && vec $out, $own, 1;
        take_questions() if vec $in, fileno(STDIN), 1;
    }
    watch();
    reach() if !$peer && now() >= $next_try;
}
