// An exception of a signature for some hosts, in one profile: a custom signature that lets this traffic pass, and a rule on top of
// the profile that takes it in.

import { GatewayError } from '../../core/contract/error.ts'
import { addTo, itemsIn } from '../../core/model/lists.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { type ExceptedTraffic, exceptionText } from '../../domain/signatures/exception.ts'
import type { Rule } from '../../domain/signatures/rule.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { custom } from './config.ts'
import { templateId } from './contract-profiles.ts'
import { maxCustomSid } from './contract-signatures.ts'
import { addCustom, type IsTaken } from './edits.ts'
import { profileList, ruleList } from './lists.ts'

export interface Exception extends Omit<ExceptedTraffic, 'sid'> {
  readonly profileId: string
  /** The signature. */
  readonly rule: Rule
  readonly comment: string
  /** Of the rule of the profile. */
  readonly ruleId: number
}

const conflict = (message: SaidText): GatewayError => new GatewayError('conflict', message)

/** Exceptions have sids of their own range, so that they are found together; below the highest, as every custom signature. */
const firstSid = 900_000

/** Why no exception can be made in this profile, or null. */
export function exceptionFault(config: Config, profileId: string): SaidText | null {
  if (profileId === templateId)
    return say`The template profile cannot be changed. Copy it, name the copy in the firewall rule, and make the exception there.`
  if (profileId === '') return say`It is not known which profile this event belongs to.`
  const isKnown = itemsIn(config, profileList).some(({ id }) => id === profileId)
  return isKnown ? null : say`The profile of this event was removed.`
}

/** The configuration with the exception, and the sid of its signature. */
export function addException(config: Config, exception: Exception, isTaken: IsTaken): readonly [Config, number] {
  const { profileId, rule, source, destination, comment, ruleId } = exception
  const fault = exceptionFault(config, profileId)
  if (fault !== null) throw conflict(fault)
  const sid = freeSid(config, isTaken)
  const text = exceptionText(rule.text, { sid, source, destination })
  if (text.length > longestRule) throw conflict(say`The signature is too long for an exception.`)
  const [added] = addCustom(config, { comment, rule: text }, isTaken)
  const [first] = itemsIn(added, ruleList, profileId)
  const body = {
    profile_id: profileId,
    filters: [{ key: 'sid', operator: 'equals', values: [sid] }],
    action: 'default',
    comment,
  }
  const placement = first ? { anchor_item_id: first.id, insert_after: false } : {}
  return [addTo(added, ruleList, ruleId, body, placement), sid]
}

/** As the contract of custom signatures has it. */
const longestRule = 8_196

function freeSid(config: Config, isTaken: IsTaken): number {
  const used = new Set(read(config, custom).map(({ id }) => Number(id)))
  for (let sid = firstSid; sid <= maxCustomSid; sid++) if (!used.has(sid) && !isTaken(sid)) return sid
  throw conflict(
    say`There is no free sid for another exception. Remove custom signatures that are not needed any more.`,
  )
}
