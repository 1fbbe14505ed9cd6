# Runs command lines, one per line of the input with words separated by tabs, and prints for each its milliseconds and its
# exit status. A small process starts programs about as fast as a shell does; a large one takes longer for the fork.
use strict;
use warnings;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);
$| = 1;
while (my $line = <STDIN>) {
  chomp $line;
  my @words = split /\t/, $line;
  my $begun = clock_gettime(CLOCK_MONOTONIC);
  my $status = system { $words[0] } @words;
  printf "%.3f %d\n", 1000 * (clock_gettime(CLOCK_MONOTONIC) - $begun), $status;
}
