// The program of portcullis-upgrade.service: root, outside the sandboxes of the daemons. Does what the request in the folder of
// root says, or ends at once when there is none.

import { readTrustedKeys } from '../shared/files/signed-package.ts'
import { thisMachine } from './machine.ts'
import { keyFolders, upgradePlaces } from './places.ts'
import { runUpgrade } from './program.ts'
import { readRequest } from './take.ts'

process.umask(0o077)
const places = upgradePlaces(process.env.PORTCULLIS_STATE ?? '/var/lib/portcullis')
const request = readRequest(places)
if (request) {
  // Read once: the keys of the package are replaced with it.
  const keys = readTrustedKeys(keyFolders)
  try {
    const ended = await runUpgrade({ machine: thisMachine, places, keys }, request)
    process.exitCode = ended.state === 'done' ? 0 : 1
  } catch (fault) {
    // Not at its end, for example because the disk is full: the unit starts it again, and it goes on.
    console.error(fault)
    process.exitCode = 75
  }
}
