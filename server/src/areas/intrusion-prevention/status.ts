// The status of intrusion prevention. There is no engine yet, and the status says so.

import type { StatusItem } from '../../contract/fields.ts'
import type { Services } from '../../http/handle.ts'

const noEngine = 'Stored. The intrusion prevention engine is not part of this release yet, so no traffic is inspected.'

/** Items are named like the units in the system log (docs/behaviour/intrusion-prevention.md 1.3). */
export function showStatus(
  brand: string,
  isEnabled: boolean,
  files: Services['signatures'],
  count: number,
): StatusItem[] {
  const messages = files?.state().messages ?? []
  return [
    { name: 'suricata', status: 'inactive', msg: [isEnabled ? noEngine : 'Intrusion prevention is disabled.'] },
    {
      name: `${brand}-suricata-backend`,
      status: count > 0 ? 'active' : 'inactive',
      msg: [`${count} signatures are loaded.`, ...messages],
    },
  ]
}

/** Nothing is downloaded in this release. Rule files come from packages and from the operator. */
export function showUpdate(files: Services['signatures'], source: 'standard' | 'advanced') {
  const state = files?.state()
  const where = state ? ` Put rule files into ${state.folder}; they are read within a minute.` : ''
  return {
    status: 'disabled' as const,
    msg: `Signatures are not downloaded in this release.${source === 'advanced' ? where : ''}`,
    last_update: state?.updatedAt[source] ?? null,
  }
}
