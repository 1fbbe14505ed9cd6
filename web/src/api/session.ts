// Who is signed in and until when. Views read it here; the shell asks for a password where one is needed. A lapsed session keeps
// its identity, so that drafts stay on screen behind the sign-in.

import { ownSession, showConsole, signIn, signOut, whoAmI } from '@gateway/server/contract/sign-in'
import { type Access, mayUse, type Role, roles } from '@gateway/server/core/access'
import { setGatewayZone } from '../ui/zone.ts'
import { call, onFailure } from './call.ts'
import { Failure } from './failure.ts'
import { queryClient } from './reads.ts'
import { createStore, useStore } from './store.ts'

export interface GatewayName {
  readonly brand: string
  readonly hostName: string
  /** SHA-256 of the management certificate; null without TLS. */
  readonly fingerprint: string | null
  readonly timeZone: string | null
}

export interface Identity {
  /** Handle of this session in the list of sessions. */
  readonly id: string
  readonly adminId: string
  readonly login: string
  readonly name: string
  readonly role: Role
}

/** `out`: the sign-in page. `first`: the first password must be changed. `lapsed`: the sign-in over the page of this identity. */
export type Stage = 'loading' | 'out' | 'first' | 'in' | 'lapsed' | 'leaving' | 'unreachable'

export interface SessionState {
  readonly stage: Stage
  readonly identity: Identity | null
  readonly gateway: GatewayName | null
  /** By the clock of this browser, in milliseconds. */
  readonly endsAt: number
  readonly freshUntil: number
}

export interface Session extends GatewayName, Identity {
  readonly roleName: string
  may(access: Access): boolean
}

export const sessionStore = createStore<SessionState>({
  stage: 'loading',
  identity: null,
  gateway: null,
  endsAt: 0,
  freshUntil: 0,
})

const unnamed: GatewayName = { brand: 'portcullis', hostName: '', fingerprint: null, timeZone: null }
const noIdentity: Identity = { id: '', adminId: '', login: '', name: '', role: 'predefined_reports_view' }

export function useSession(): Session {
  const { identity, gateway } = useStore(sessionStore)
  const who = identity ?? noIdentity
  return {
    ...(gateway ?? unnamed),
    ...who,
    roleName: roles[who.role],
    may: (access) => identity !== null && mayUse(who.role, access),
  }
}

/** Names the roles that open an access, for "needs …". */
export const rolesFor = (access: Access): readonly Role[] =>
  (Object.keys(roles) as Role[]).filter((role) => mayUse(role, access))

/** At the start: who is signed in already. */
export async function findSession(): Promise<void> {
  try {
    await readGateway()
    // The gateway shows its time zone to a session only: without one nothing is asked that would be refused.
    if (sessionStore.get().gateway?.timeZone === null) sessionStore.update((state) => ({ ...state, stage: 'out' }))
    else await readIdentity()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const stage: Stage = error.code === 'unauthenticated' ? 'out' : 'unreachable'
    sessionStore.update((state) => ({ ...state, stage }))
  }
}

async function readGateway(): Promise<void> {
  const { data } = await call(showConsole, { isBackground: true })
  const { brand, host_name, certificate_sha256, time_zone = null } = data
  const gateway = { brand, hostName: host_name, fingerprint: certificate_sha256, timeZone: time_zone }
  sessionStore.update((state) => ({ ...state, gateway }))
}

async function readIdentity(): Promise<void> {
  const [{ data: who }, { data: own }] = await Promise.all([call(whoAmI), call(ownSession)])
  const identity = { id: own.id, adminId: own.admin_id, login: who.login, name: who.name, role: who.role_id }
  const stage: Stage = own.must_change_password ? 'first' : 'in'
  setGatewayZone(sessionStore.get().gateway?.timeZone ?? undefined)
  sessionStore.update((state) => ({ ...state, stage, identity, ...endsOf(own) }))
}

const endsOf = (own: { readonly seconds_left: number; readonly fresh_seconds_left: number }) => ({
  endsAt: Date.now() + own.seconds_left * 1000,
  freshUntil: Date.now() + own.fresh_seconds_left * 1000,
})

/** Told by the event stream. */
export const noteSecondsLeft = (seconds: number): void =>
  sessionStore.update((state) => ({ ...state, endsAt: Date.now() + seconds * 1000 }))

/** Reads how long the session lasts. With `isStaying` that alone prolongs it. */
export async function readSessionTime({ isStaying = false } = {}): Promise<void> {
  const { data } = await call(ownSession, { isBackground: !isStaying })
  sessionStore.update((state) => ({ ...state, ...endsOf(data) }))
}

/** Signs in. Where another administrator's page was open, it is loaded again: its draft is not theirs. */
export async function enter(login: string, password: string): Promise<void> {
  const { identity: before, stage } = sessionStore.get()
  // A new session ends the present one and its stream of events; that stream is ended here, and opened again with the new one.
  if (stage === 'in') sessionStore.update((state) => ({ ...state, stage: 'leaving' }))
  try {
    await call(signIn, { body: { login, password, rest_path: '/' } })
  } catch (error) {
    sessionStore.update((state) => ({ ...state, stage }))
    throw error
  }
  enteredAt = performance.now()
  await readGateway()
  await readIdentity()
  const now = sessionStore.get().identity
  if (before && now && (before.login !== now.login || before.role !== now.role)) {
    window.location.reload()
    return
  }
  await queryClient.invalidateQueries()
}

/** What a browser may keep after a sign-out. */
const keptKeys = (key: string): boolean => /^portcullis\.(theme|density|language|keys|columns(\..*)?)$/.test(key)

export function emptyStorage(): void {
  sessionStorage.clear()
  for (const key of Object.keys(localStorage)) if (!keptKeys(key)) localStorage.removeItem(key)
}

/** Ends the session and forgets what was read. The reply clears the storage of the site, so what is kept is written again. */
export async function leave(): Promise<void> {
  const kept = Object.entries({ ...localStorage }).filter(([key]) => keptKeys(key))
  const { stage } = sessionStore.get()
  // The stream of events ends here and not by the gateway.
  sessionStore.update((state) => ({ ...state, stage: 'leaving' }))
  try {
    await call(signOut)
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'unauthenticated') {
      sessionStore.update((state) => ({ ...state, stage }))
      throw error
    }
  }
  emptyStorage()
  for (const [key, value] of kept) localStorage.setItem(key, String(value))
  queryClient.clear()
  sessionStore.update((state) => ({ ...state, stage: 'out', identity: null, endsAt: 0, freshUntil: 0 }))
}

export const isFresh = (): boolean => sessionStore.get().freshUntil > Date.now() + 5_000

/** When the present session began, by the clock of the page. */
let enteredAt = 0

onFailure((failure, sentAt) => {
  // A call of the session before this one may be refused late; that says nothing about this one.
  if (failure.code !== 'unauthenticated' || sentAt < enteredAt) return
  sessionStore.update((state) => (state.stage === 'in' ? { ...state, stage: 'lapsed' } : state))
})
