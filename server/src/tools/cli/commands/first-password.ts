// gw admin first-password: shows the password that the gateway made for its first administrator, for as long as it waits to be
// used. It is in a file that only the account of the gateway and root can read, so that it need not go through a log.

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { firstPasswordName } from '../../../core/accounts/first-password.ts'
import { gatewayDir } from '../../launcher/layout.ts'
import { findStateDir } from '../client/local-gateway.ts'
import type { Run } from '../command.ts'
import { CommandFailure, codeOf, exitCodes, refused } from '../failure.ts'
import { escapeText } from '../output/text.ts'

export const firstPasswordCommand: Run = async (_invocation, context) => {
  const stateDir = findStateDir(context)
  context.terminal.out(`${escapeText(readFirstPassword(stateDir))}\n`)
  return exitCodes.done
}

const maxBytes = 256

/** The same where it need not be there. */
export function findFirstPassword(stateDir: string): string | null {
  try {
    return readFirstPassword(stateDir)
  } catch (error) {
    if (error instanceof CommandFailure) return null
    throw error
  }
}

/** Root reads what another account can write: neither a link nor a pipe nor someone else's file is followed. */
function readFirstPassword(stateDir: string): string {
  const folder = gatewayDir(stateDir)
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
    const file = openSync(join(folder, firstPasswordName), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      const found = fstatSync(file)
      if (!found.isFile() || found.uid !== lstatSync(folder).uid) throw notThere(stateDir)
      const bytes = Buffer.alloc(maxBytes)
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, maxBytes, 0)).trim()
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (codeOf(error) === 'EACCES') throw refused(`Only root and the owner of ${stateDir} may do this.`)
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ELOOP') throw error
    throw notThere(stateDir)
  }
}

const notThere = (stateDir: string) =>
  refused(`There is no first password in ${stateDir}: it was used, chosen by the operator, or it expired.`, [
    'Run gw admin reset to set a new password.',
  ])
