// What the traffic classifier found, in the words of the catalogue of applications: nDPI names an application, or a protocol and
// the application in it.

import type { ClassifiedConnection, TrackedSession } from '../../core/plan/facts.ts'
import { applications } from '../application-profiles/public.ts'

/** Names of nDPI 4.2 that are written otherwise in the catalogue. */
const otherNames: Readonly<Record<string, string>> = {
  DCE_RPC: 'DCERPC',
  GoogleHangoutDuo: 'GoogleCall',
  Messenger: 'FacebookMessenger',
  Redis: 'RESP',
  'Sina(Weibo)': 'SinaWeibo',
  SkypeCall: 'Skype_TeamsCall',
  'Z39.50': 'Z3950',
}

const folded = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
const catalogue = new Map(applications.map((one) => [folded(one.name), one]))

const listed = (name: string) => catalogue.get(folded(otherNames[name] ?? name))

/** Many connections share few applications. */
const known = new Map<string, string>()
const mostKnown = 2000

/** `TLS.YouTube` is YouTube over TLS. What has no place in the catalogue keeps the name that nDPI gives it. */
function nameOf(name: string): string {
  const found = known.get(name)
  if (found !== undefined) return found
  const inner = otherNames[name] === undefined ? name.slice(name.indexOf('.') + 1) : name
  const made = listed(inner)?.name ?? inner
  if (known.size < mostKnown) known.set(name, made)
  return made
}

/** The application of a session, by what the classifier found; empty when it is not recognised. */
export function recognise(
  { protocol, source, sourcePort, destination, destinationPort }: TrackedSession,
  found: ReadonlyMap<string, ClassifiedConnection>,
): string {
  if (found.size === 0 || sourcePort === null) return ''
  const ends = [`${source}:${sourcePort}`, `${destination}:${destinationPort}`] as const
  const [one, other] = ends[0] < ends[1] ? ends : [ends[1], ends[0]]
  const classified = found.get(`${protocol.toLowerCase()} ${one} ${other}`)
  return classified === undefined ? '' : nameOf(classified.name)
}
