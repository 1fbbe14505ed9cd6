// Endpoints of custom signatures. Each is judged here first, then by the inspection engine, and only then stored.

import { type Context, handle, type Route, type Services } from '../../core/area/handle.ts'
import { listRoutes } from '../../core/area/routes.ts'
import { GatewayError, refuse } from '../../core/contract/error.ts'
import { findIn } from '../../core/model/item-index.ts'
import { read } from '../../core/model/slots.ts'
import { createSlices } from '../../core/workers/slices.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { custom } from './config.ts'
import { customSignatures } from './contract.ts'
import type { CustomFields } from './contract-signatures.ts'
import {
  addCustom,
  type FileFault,
  FileReading,
  type IsTaken,
  loadCustom,
  refuseLines,
  requireUsable,
} from './edits.ts'
import { customList } from './lists.ts'
import { customRules } from './resolve.ts'
import { refusalReply } from './routes-refusals.ts'
import { signatureIntakeService, signaturesService } from './service.ts'

/** Sids of rule files; custom signatures must not hide them. */
const takenBy =
  (services: Services): IsTaken =>
  (sid) =>
    services.of(signaturesService)?.current().find(sid) !== undefined

type Asking = Pick<Context, 'services' | 'signal'>

/** Faults by the number of the rule, from 0; -1 for all of them. Without the engine our own reading decides (docs/behaviour/intrusion-prevention.md 2.8). */
async function engineFaults({ services, signal }: Asking, rules: readonly string[]): Promise<Map<number, SaidText>> {
  const subject = { kind: 'file', id: '', name: '' } as const
  const verdict = await services.of(signatureIntakeService).check(rules, { signal, subject })
  if (verdict.status === 'missing') return new Map()
  if (verdict.status === 'timeout') return new Map([[-1, say`The inspection engine could not check it in time.`]])
  return new Map(verdict.faults.map(({ line, message }) => [line - 1, message]))
}

async function requireTaken(asking: Asking, rule: string): Promise<void> {
  const [fault] = (await engineFaults(asking, [rule])).values()
  if (fault !== undefined) refuse([{ field: 'rule', message: fault }])
}

function readText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new GatewayError('malformed', say`The file is not UTF-8 text.`, { cause })
  }
}

/** Before the change, because up to 32 MB of rules take their time. */
async function readFile(text: string, isTaken: IsTaken): Promise<FileReading> {
  const slices = createSlices()
  const reading = new FileReading(isTaken)
  for (const _ of reading.steps(text)) await slices()
  return reading
}

/** All are kept before the first are named in the answer. */
async function refuseFile({ services }: Asking, faults: readonly FileFault[]): Promise<void> {
  if (faults.length === 0) return
  const refusals = faults.map(({ line, sid, message }) => ({ file: '', line, sid, reason: message }))
  await services.of(signatureIntakeService).fileRefusals.keep(refusals)
  refuseLines(faults)
}

const { update, remove } = customSignatures

export const customRoutes: readonly Route[] = [
  handle(
    customSignatures.list,
    ({ config }) => ({
      signatures: customRules(read(config, custom)).map(({ stored, rule }) => ({
        ...rule.signature,
        comment: stored.comment,
      })),
    }),
    { slot: custom },
  ),
  handle(
    customSignatures.create,
    async (context) => {
      const { body, config, change, services } = context
      // What is wrong anyway is said at once.
      addCustom(config, body, takenBy(services))
      await requireTaken(context, body.rule)
      return change((now) => {
        const [next, id] = addCustom(now, body, takenBy(services))
        return [next, { id }] as const
      })
    },
    { slot: custom },
  ),
  handle(
    customSignatures.load,
    async (context) => {
      const { rawBody, change, services } = context
      const { rules, faults: own } = await readFile(readText(rawBody), takenBy(services))
      await refuseFile(context, own)
      const entries = [...rules.values()]
      const faults = await engineFaults(
        context,
        entries.map(({ rule }) => rule.text),
      )
      const refused = [...faults].map(([index, message]): FileFault => {
        const { line = 0, rule } = entries[index] ?? {}
        return { line, sid: rule?.signature.sid ?? 0, message }
      })
      await refuseFile(context, refused)
      return change((config) => [loadCustom(config, rules, takenBy(services)), { count: rules.size }] as const)
    },
    { slot: custom },
  ),
  handle(customSignatures.refusals, ({ query, services }) =>
    refusalReply(query, (offset, limit) => services.of(signatureIntakeService).fileRefusals.read(offset, limit)),
  ),
  ...listRoutes({ update, remove }, customList, {
    prepare: async (context, body) => {
      const { rule } = body as Partial<CustomFields>
      const stored = findIn(context.config, custom, context.params.sid ?? '')
      // Of a signature that is not there, or a text that stays, the edit says what has to be said.
      if (rule !== undefined && stored && rule !== stored.rule) {
        requireUsable(rule, stored.id)
        await requireTaken(context, rule)
      }
      return () => body
    },
  }),
]
