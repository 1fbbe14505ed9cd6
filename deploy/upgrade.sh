#!/bin/sh
# Runs the program of an upgrade. While the files of the package are replaced, and after a power failure in the middle of that, a
# copy of the program and of its runtime is used, which the program made before.
set -u
own=/var/lib/portcullis/applyd/upgrade/program
if [ -e "$own/complete" ]; then
  exec "$own/node" --disable-warning=ExperimentalWarning "$own/server/src/upgrade/main.ts"
fi
cd /usr/lib/portcullis || exit 1
exec bin/node --import=./server/plain/hook.mjs --disable-warning=ExperimentalWarning server/src/upgrade/main.ts
