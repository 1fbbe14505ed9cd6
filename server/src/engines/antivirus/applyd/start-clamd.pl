#!/usr/bin/perl
# Makes one folder of links to the signatures of all folders, then becomes clamd, which reads one folder only. Without any
# signature it ends with a sentence for the status: clamd must never look as if it checked.
# Arguments: the folder of links, folders of signatures, "--", program and arguments.
use strict;
use warnings;

my $links = shift @ARGV;
my @sources;
while (@ARGV) {
    my $source = shift @ARGV;
    last if $source eq '--';
    push @sources, $source;
}
die "There is no program to start.\n" unless @ARGV;

opendir(my $old, $links) or die "The folder of signatures cannot be read: $!\n";
for my $name (readdir $old) {
    next unless -l "$links/$name";
    unlink("$links/$name") or die "An old link cannot be removed: $!\n";
}
closedir $old;

my $count = 0;
for my $source (@sources) {
    opendir(my $folder, $source) or next;
    for my $name (sort readdir $folder) {
        next unless $name =~ /\A[A-Za-z0-9][A-Za-z0-9._-]{0,120}\.(?:cvd|cld|cud|hdb|hsb|hdu|hsu|mdb|msb|ndb|ndu|ldb|ldu|cdb|yar|yara|fp|sfp|ign|ign2|cbc|ftm|crb|cfg|info|pdb|wdb|gdb|idb)\z/;
        my $file = "$source/$name";
        next unless -f $file && -r $file;
        next if -l "$links/$name";
        symlink($file, "$links/$name") or die "A link cannot be made: $!\n";
        # Lists of exceptions and settings are no signatures.
        $count++ unless $name =~ /\.(?:fp|sfp|ign|ign2|cfg|info)\z/;
    }
    closedir $folder;
}
if ($count == 0) {
    print STDERR "There are no virus signatures: put signature files (such as .cvd, .hdb, .ndb) into $sources[0] or $sources[-1].\n";
    exit 1;
}
exec { $ARGV[0] } @ARGV or die "The program failed to execute: $!\n";
