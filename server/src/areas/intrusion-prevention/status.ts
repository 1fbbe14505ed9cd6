// The status of intrusion prevention: of the engine, as it was observed and tested, and of the signatures.

import type { StatusItem } from '../../contract/fields.ts'
import type { InspectionState } from '../../contract/inspection.ts'
import type { Machine, Services } from '../../http/handle.ts'
import { failedWords, inspectionStatus } from '../../system/inspection-status.ts'

interface StatusView {
  readonly brand: string
  readonly isEnabled: boolean
  readonly files: Services['signatures']
  /** Signatures in the catalogue. */
  readonly count: number
  readonly machine: Machine
  readonly inspection: InspectionState
}

/** Items are named like the units in the system log (docs/behaviour/intrusion-prevention.md 1.3). */
export function showStatus(view: StatusView): StatusItem[] {
  const { brand, isEnabled, files, count, machine, inspection } = view
  const messages = files?.state().messages ?? []
  const engine = inspectionStatus({
    ...{ machine, inspection },
    isOwn: ({ prevention }) => prevention !== '',
    unused: isEnabled
      ? 'No enabled firewall rule inspects with a profile of intrusion prevention.'
      : 'Intrusion prevention is disabled.',
  })
  return [
    { name: 'suricata', ...engine },
    {
      name: `${brand}-suricata-backend`,
      status: count > 0 ? 'active' : 'inactive',
      msg: [`${count} signatures are loaded.`, ...failedWords(inspection), ...messages],
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
