#!/bin/sh
# The checker of the stand-in: refuses a file with the word "bad".
if grep -q bad "$1"; then
  echo "$1: line 1: bad word" >&2
  exit 1
fi
