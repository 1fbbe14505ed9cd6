// What intrusion prevention is doing: nothing yet beside keeping signatures, and that is what it says.

import type { StatusItem } from '../../contract/fields.ts'
import type { Services } from '../../http/handle.ts'

const noEngine = 'Stored; the intrusion prevention engine is not part of this release yet, so no traffic is inspected.'

export function showStatus(files: Services['signatures'], count: number): StatusItem[] {
  const messages = files?.state().messages ?? []
  return [
    { name: 'intrusion-prevention', status: 'inactive', msg: [noEngine] },
    {
      name: 'signatures',
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
