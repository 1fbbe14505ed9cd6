// The status of intrusion prevention: of the engine, as it was observed and tested, and of the signatures.

import type { Machine, Services } from '../../core/area/handle.ts'
import type { Offered } from '../../core/area/service.ts'
import { counted } from '../../core/contract/counted.ts'
import type { StatusItem } from '../../core/contract/fields.ts'
import type { InspectionState } from '../../core/contract/inspection-state.ts'
import { failedWords, inspectionStatus } from '../../engines/inspection/status.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { signatureIntakeService, signaturesService } from './service.ts'

interface StatusView {
  readonly services: Sources
  readonly isEnabled: boolean
  /** Custom signatures that are left out. */
  readonly custom: readonly { readonly id: string; readonly reason: string }[]
  /** Signatures in the catalogue. */
  readonly count: number
  readonly machine: Machine
  readonly inspection: InspectionState
}

const maxMessages = 5

type Sources = Pick<Services, 'brand' | 'of'>

/** Items are named like the units in the system log (docs/behaviour/intrusion-prevention.md 1.3). */
export function showStatus(view: StatusView): StatusItem[] {
  const { services, isEnabled, custom, count, machine, inspection } = view
  const engine = inspectionStatus({
    machine,
    inspection,
    isOwn: ({ prevention }) => prevention !== '',
    unused: isEnabled
      ? say`No enabled firewall rule inspects with a profile of intrusion prevention.`
      : say`Intrusion prevention is disabled.`,
  })
  return [
    { name: 'suricata', ...engine },
    {
      name: `${services.brand}-suricata-backend`,
      status: count > 0 ? 'active' : 'inactive',
      msg: [
        say`${counted(count, 'signature is', 'signatures are')} loaded.`,
        ...failedWords(inspection),
        ...signatureMessages(services, custom),
      ],
    },
  ]
}

/** What is left out and why, and what a check waits for; the first ones of each kind. */
export function signatureMessages(
  { of }: Sources,
  custom: readonly { readonly id: string; readonly reason: string }[],
): SaidText[] {
  const { verdicts, archives } = of(signatureIntakeService)
  const refused = [
    ...verdicts.refused().map(({ sid, reason }) => say`Signature ${sid} is left out: ${reason}`),
    ...custom.map(({ id, reason }) => say`Custom signature ${id} is left out: ${reason}`),
  ]
  const left = refused.length - maxMessages
  return [
    ...(of(signaturesService)?.state().messages ?? []),
    ...refused.slice(0, maxMessages),
    ...(left > 0 ? [say`${left} more signatures are left out.`] : []),
    ...(verdicts.message === '' ? [] : [verdicts.message]),
    ...archives.list().flatMap(archiveMessages),
  ]
}

type Archive = ReturnType<Offered<typeof signatureIntakeService>['archives']['list']>[number]

function archiveMessages({ name, state, message, report }: Archive): SaidText[] {
  const [first] = report.failed
  const left =
    report.failedCount === 1
      ? say`1 rule of the archive ${name} is left out.`
      : say`${report.failedCount} rules of the archive ${name} are left out.`
  return [
    ...(state === 'checking' ? [say`The archive ${name} is being checked.`] : []),
    ...(state === 'failed' ? [say`The archive ${name} could not be used: ${message}`] : []),
    ...(report.failedCount > 0
      ? [first ? say`${left} The first one is in ${first.file}, line ${first.line}: ${first.reason}` : left]
      : []),
  ]
}

/** Nothing is downloaded. Rule files come from packages and from the operator. */
export function showUpdate({ of }: Sources, source: 'standard' | 'advanced') {
  const state = of(signaturesService)?.state()
  const archives = source === 'advanced' ? of(signatureIntakeService).archives.list() : []
  const isUpdating = state?.isReading === true || archives.some((one) => one.state === 'checking')
  const failed = archives.find((one) => one.state === 'failed')
  const fault = state?.fault || (failed ? say`The archive ${failed.name} could not be used: ${failed.message}` : '')
  const status = isUpdating ? 'updating' : fault === '' ? 'up_to_date' : 'failed_to_update'
  const words = [isUpdating ? say`Rules are being read.` : fault, say`Signatures are not downloaded.`, origins[source]]
  const where = source === 'advanced' && state ? say`Files in ${state.folder} are read within a minute.` : ''
  return {
    status: status as 'updating' | 'up_to_date' | 'failed_to_update',
    msg: [...words, where].filter((text) => text !== '').join(' '),
    last_update: state?.updatedAt[source] ?? null,
  }
}

const origins = {
  standard: say`They come with the gateway and with the package of the inspection engine.`,
  advanced: say`They come from archives of rules that are uploaded, and from rule files of the operator.`,
} as const
