// What intrusion prevention is doing: nothing yet beside keeping signatures, and that is what it says.

import type { StatusItem } from '../../contract/fields.ts'
import type { Services } from '../../http/handle.ts'

const noEngine = 'Stored; the intrusion prevention engine is not part of this release yet, so no traffic is inspected.'

/** Items are called like the units in the system journal (logs.md). */
export function showStatus(
  brand: string,
  isEnabled: boolean,
  files: Services['signatures'],
  count: number,
): StatusItem[] {
  const messages = files?.state().messages ?? []
  return [
    { name: 'suricata', status: 'inactive', msg: [isEnabled ? noEngine : 'Intrusion prevention is switched off.'] },
    {
      name: `${brand}-suricata-backend`,
      status: count > 0 ? 'active' : 'inactive',
      msg: [`${count} signatures are known.`, ...messages],
    },
  ]
}

/** Nothing is downloaded in this release; rule files are what the operator and the packages put there. */
export function showUpdate(files: Services['signatures'], source: 'standard' | 'advanced') {
  const state = files?.state()
  const where = state ? ` Put rule files into ${state.folder}; they are read within a minute.` : ''
  return {
    status: 'disabled' as const,
    msg: `Signatures are not downloaded in this release.${source === 'advanced' ? where : ''}`,
    last_update: state?.updatedAt[source] ?? null,
  }
}
