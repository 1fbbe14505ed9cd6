// What the reader of events has to know beyond the lines of the engine: what each channel looks for, which application a number
// is, and to which group and tactic a signature belongs. Pure.

import { findIn } from '../../core/model/item-index.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Facts } from '../../core/plan/facts.ts'
import type { ChannelNames, NamedProfile, SignatureTable } from '../../domain/logs/hit-news.ts'
import { none, type Signature } from '../../domain/signatures/rule.ts'
import { rules as olderRules } from '../application-control/public.ts'
import { profiles as applicationProfiles, applications } from '../application-profiles/public.ts'
import { numberedChannels } from '../firewall/public.ts'
import { profiles, template } from '../intrusion-prevention/public.ts'

const noProfile: NamedProfile = { id: '', name: '' }

export const channelNames = (config: Config, facts: Facts): ReadonlyMap<number, ChannelNames> =>
  new Map(
    numberedChannels(config, facts).map(({ number, prevention, applications: id, older }) => [
      number,
      { prevention: preventionOf(config, prevention), applications: applicationsOf(config, id, older) },
    ]),
  )

function preventionOf(config: Config, id: string): NamedProfile {
  if (id === '') return noProfile
  return { id, name: id === template.id ? template.name : (findIn(config, profiles, id)?.name ?? '') }
}

/** A rule of the older application control stands for a profile. */
function applicationsOf(config: Config, id: string, older: number | null): NamedProfile {
  if (id !== '') return { id, name: findIn(config, applicationProfiles, id)?.name ?? '' }
  if (older === null) return noProfile
  return { id: String(older), name: read(config, olderRules).find((rule) => rule.id === older)?.name ?? '' }
}

/** By the number that is in the sids of their rules: their place in the list, from 1 on. */
export const applicationNames: ReadonlyMap<number, NamedProfile> = new Map(
  applications.map(({ id, name }, index) => [index + 1, { id, name }]),
)

const mostWords = 0xffff

/** `signatures` in the order of their sids. `pause` is awaited between them: there are tens of thousands. */
export async function signatureTable(
  signatures: readonly Pick<Signature, 'sid' | 'classtype' | 'mitre_tactic_id'>[],
  pause: () => Promise<void> | undefined,
): Promise<SignatureTable> {
  const words: string[] = ['']
  const places = new Map([['', 0]])
  const placeOf = (word: string): number => {
    const text = word === none ? '' : word
    const known = places.get(text)
    if (known !== undefined) return known
    if (words.length >= mostWords) return 0
    places.set(text, words.length)
    return words.push(text) - 1
  }
  const [sids, classtypes, tactics] = [
    new Uint32Array(new SharedArrayBuffer(4 * signatures.length)),
    new Uint16Array(new SharedArrayBuffer(2 * signatures.length)),
    new Uint16Array(new SharedArrayBuffer(2 * signatures.length)),
  ]
  for (const [index, { sid, classtype, mitre_tactic_id }] of signatures.entries()) {
    sids[index] = sid
    classtypes[index] = placeOf(classtype)
    tactics[index] = placeOf(mitre_tactic_id)
    await pause()
  }
  return { sids, classtypes, tactics, words }
}
