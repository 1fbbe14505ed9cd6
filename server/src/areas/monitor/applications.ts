// What the traffic classifier found, in the words of the catalogue of applications: nDPI names an application, or a protocol and
// the application in it.

import type { ClassifiedConnection, TrackedSession } from '../../plan/facts.ts'
import { applications } from '../application-profiles/public.ts'

export interface Recognised {
  /** Its name in the catalogue; where it has no place there, as nDPI names it. Empty when it is not recognised. */
  readonly application: string
  /** Its id in the catalogue; empty when it has no place there. */
  readonly id: string
  /** The protocol that carries it. */
  readonly protocol: string
  /** The name of the server that the client asked for. */
  readonly server: string
}

const unknown: Recognised = { application: '', id: '', protocol: '', server: '' }

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
const known = new Map<string, Omit<Recognised, 'server'>>()
const mostKnown = 2000

/** `TLS.YouTube` is YouTube over TLS, `SSH` is both the application and the protocol. */
function nameOf(name: string): Omit<Recognised, 'server'> {
  const found = known.get(name)
  if (found !== undefined) return found
  const dot = otherNames[name] === undefined ? name.indexOf('.') : -1
  const [carrier, inner] = dot < 0 ? [name, name] : [name.slice(0, dot), name.slice(dot + 1)]
  const application = listed(inner)
  const made = {
    application: application?.name ?? inner,
    id: application?.id ?? '',
    protocol: listed(carrier)?.name ?? carrier,
  }
  if (known.size < mostKnown) known.set(name, made)
  return made
}

/** What a session is, by what the classifier found. */
export function recognise(
  { protocol, source, sourcePort, destination, destinationPort }: TrackedSession,
  found: ReadonlyMap<string, ClassifiedConnection>,
): Recognised {
  if (found.size === 0 || sourcePort === null) return unknown
  const ends = [`${source}:${sourcePort}`, `${destination}:${destinationPort}`] as const
  const [one, other] = ends[0] < ends[1] ? ends : [ends[1], ends[0]]
  const classified = found.get(`${protocol.toLowerCase()} ${one} ${other}`)
  return classified === undefined ? unknown : { ...nameOf(classified.name), server: classified.server }
}
