#!/usr/bin/perl
# The way of rules into the inspection engine, as the engine's own account: a copy of the file that the plan names, of which the
# SHA-256 is checked and in which no option may run code, read files or change other traffic. gatewayd writes the file, and may
# not make anything run. Needs nothing beyond the packages perl-base and coreutils.
#   rules.pl start  RULES.JSON COMPILED WORK SETTINGS QUEUES -- COMMAND...   copies, then becomes the engine; it reads the
#                                                                  QUEUES too while SETTINGS say that a profile blocks
#   rules.pl reload RULES.JSON COMPILED WORK SOCKET                copies, then has the engine read its rules again
#   rules.pl check  CANDIDATES ID COPY -- COMMAND...               copies a candidate without refused lines, then becomes the command
use strict;
use warnings;
use Fcntl qw(:DEFAULT :mode);
use IO::Socket::UNIX;

my $mostBytes = 1024 * 1024 * 1024;
my $refused = 'lua|luajit|luaxform|dataset|datarep|filestore|nfq_set_mark|iprep|bypass|filemd5|filesha1|filesha256|geoip';
# An option begins after the first parenthesis or after a semicolon without a backslash, as Suricata itself reads it.
my $pattern = qr/(?:\A[^(]*\(|(?<!\\);)\s*($refused)\s*[:;)]/io;

sub refusal {
    my ($line) = @_;
    return 'It has a control character.' if $line =~ /[\x00-\x08\x0b-\x1f\x7f]/;
    return 'It goes on in the next line.' if $line =~ /\\\s*\z/;
    return "The option $1 is not allowed." if $line =~ $pattern;
    return '';
}

# Opens a regular file, never what a link leads to.
sub opened {
    my ($path) = @_;
    sysopen(my $file, $path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) or die "The rules cannot be read: $!\n";
    my @status = stat $file;
    S_ISREG($status[2]) or die "The rules are not in a regular file.\n";
    $status[7] <= $mostBytes or die "The file of rules is too large.\n";
    return $file;
}

sub create {
    my ($path) = @_;
    unlink $path;
    sysopen(my $file, $path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600) or die "The rules cannot be copied: $!\n";
    return $file;
}

sub sha256 {
    my ($path) = @_;
    open(my $sum, '-|', '/usr/bin/sha256sum', '--', $path) or die "The rules cannot be checked: $!\n";
    my $line = <$sum>;
    close $sum;
    return defined $line && $line =~ /\A\\?([0-9a-f]{64}) / ? $1 : '';
}

sub wanted {
    my ($settings) = @_;
    open(my $file, '<', $settings) or die "The name of the rules cannot be read: $!\n";
    local $/;
    my $text = <$file>;
    defined $text && $text =~ /\A\{"rules":"([0-9a-f]{64})"\}\n?\z/ or die "The name of the rules is not valid.\n";
    return $1;
}

# What is there already with the right sum was checked when it came.
sub take {
    my ($settings, $compiled, $work) = @_;
    my $name = wanted($settings);
    my ($rules, $part) = ("$work/current.rules", "$work/new.rules");
    return if -f $rules && !-l $rules && sha256($rules) eq $name;
    my ($from, $to) = (opened("$compiled/$name.rules"), create($part));
    my $number = 0;
    while (my $line = <$from>) {
        $number++;
        my $reason = refusal($line);
        die "Line $number of the rules is refused. $reason\n" if $reason ne '';
        print $to $line or die "The rules cannot be copied: $!\n";
    }
    close $to or die "The rules cannot be copied: $!\n";
    sha256($part) eq $name or die "The rules were changed: their SHA-256 is another one.\n";
    rename($part, $rules) or die "The rules cannot be copied: $!\n";
}

# The first lines are those of the plan (server/src/engines/inspection/suricata-yaml.ts).
sub isBlocking {
    my ($settings) = @_;
    open(my $file, '<', $settings) or die "The settings cannot be read: $!\n";
    while (my $line = <$file>) { return 1 if $line eq "exception-policy: drop-packet\n"; }
    return 0;
}

my $input = '';

# One answer of the engine, which is a line. It loads rules meanwhile, for minutes on a slow machine.
sub answer {
    my ($socket) = @_;
    while ($input !~ /\n/) {
        my $count = sysread($socket, $input, 65536, length $input);
        defined $count && $count > 0 or die "The engine ended the conversation.\n";
        length $input < 1048576 or die "The answer of the engine is too long.\n";
    }
    $input =~ s/\A([^\n]*)\n//;
    return $1;
}

sub ask {
    my ($socket, $text) = @_;
    syswrite($socket, "$text\n") or die "The engine does not take commands: $!\n";
    my $line = answer($socket);
    $line =~ /"return"\s*:\s*"OK"/ or die 'The engine refused: ' . substr($line, 0, 300) . "\n";
    return $line;
}

sub reload {
    my ($path) = @_;
    my $socket = IO::Socket::UNIX->new(Peer => $path) or die "The engine does not take commands: $!\n";
    ask($socket, '{"version":"0.2"}');
    ask($socket, '{"command":"reload-rules"}');
    my $stats = ask($socket, '{"command":"ruleset-stats"}');
    my ($loaded) = $stats =~ /"rules_loaded"\s*:\s*(\d+)/;
    die "The engine took none of the rules.\n" unless $loaded;
}

sub candidate {
    my ($candidates, $id, $copy) = @_;
    my ($from, $to) = (opened("$candidates/$id.rules"), create($copy));
    $| = 1;
    my $number = 0;
    while (my $line = <$from>) {
        $number++;
        my $reason = $line =~ /\A\s*(?:#|\z)/ ? '' : refusal($line);
        print "refused line $number: $reason\n" if $reason ne '';
        print $to ($reason eq '' ? $line : "#\n") or die "The rules cannot be copied: $!\n";
    }
    close $to or die "The rules cannot be copied: $!\n";
}

umask 0027;
my $mode = shift @ARGV // '';
# Open until the end of this program: in a block it would be closed with it.
my $events;
my @places = splice(@ARGV, 0, 3);
if ($mode eq 'reload') {
    take(@places);
    reload($ARGV[0]);
    exit 0;
}
my ($settings, $queues) = $mode eq 'start' ? splice(@ARGV, 0, 2) : ();
@ARGV > 1 && shift(@ARGV) eq '--' or die "Missing arguments: the mode, its places and the command.\n";
if ($mode eq 'start') {
    take(@places);
    push @ARGV, map { ('-q', $_) } split(/,/, $queues) if isBlocking($settings);
    # Events go to descriptor 3, which the engine opens once more by name; its own words to the log.
    $^F = 10;
    open($events, '>>&', \*STDOUT) or die "The file of events cannot be kept: $!\n";
    open(STDOUT, '>&', \*STDERR) or die "Standard output cannot be changed: $!\n";
    require POSIX;
    POSIX::dup2(fileno($events), 3) // die "The file of events cannot be kept: $!\n" if fileno($events) != 3;
}
elsif ($mode eq 'check') { candidate(@places); }
else { die "The mode $mode is not known.\n"; }
exec { $ARGV[0] } @ARGV or die "failed to execute $ARGV[0]: $!\n";
