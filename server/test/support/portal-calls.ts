// A gateway with users, and the verbs of its portal as the socket calls them.

import type { UserSession, UserSessions } from '../../src/areas/authorization/runs/session.ts'
import { userSessionsService } from '../../src/areas/authorization/service.ts'
import { portalActions } from '../../src/areas/portal/actions.ts'
import { passwordPlace, users } from '../../src/areas/users/config.ts'
import { Passwords } from '../../src/core/accounts/passwords.ts'
import type { Services } from '../../src/core/area/handle.ts'
import type { Service } from '../../src/core/area/service.ts'
import { addItem } from '../../src/core/model/list-edits.ts'
import { type Client, createTestGateway, type TestGateway, type TestOptions } from './test-gateway.ts'

export const userPassword = 'wooden bridge 31'
/** In the local network of the facts that test gateways have. */
export const localHost = '10.10.0.7'
export const remoteHost = '198.51.100.9'

let hashOnce: Promise<string> | null = null
const sharedHash = (): Promise<string> => {
  hashOnce ??= new Passwords().hash(userPassword)
  return hashOnce
}

/** Sessions on the network in memory: what is opened is there. */
export class FakeUserSessions implements UserSessions {
  readonly sessions: UserSession[] = []
  readonly calls: string[] = []
  fault: Error | null = null
  /** Runs while a session is being opened. */
  onOpening: () => void | Promise<void> = () => {}
  #number = 0

  list = (): readonly UserSession[] => this.sessions
  ofUser = (userId: string): readonly UserSession[] => this.sessions.filter((one) => one.userId === userId)
  at = (address: string): UserSession | undefined => this.sessions.find((one) => one.address === address)

  add(session: Pick<UserSession, 'userId' | 'address'> & Partial<UserSession>): UserSession {
    const added: UserSession = {
      id: `session-${++this.#number}`,
      type: 'web',
      mac: null,
      device: null,
      state: 'connected',
      startedAt: 1_767_225_600,
      ruleId: null,
      ...session,
    }
    this.sessions.push(added)
    return added
  }

  async openWeb(userId: string, address: string): Promise<UserSession> {
    await this.onOpening()
    if (this.fault) throw this.fault
    this.calls.push(`open ${userId} ${address}`)
    for (const old of this.sessions.filter((one) => one.address === address)) await this.end(old.id)
    return this.add({ userId, address })
  }

  async end(id: string): Promise<boolean> {
    const index = this.sessions.findIndex((one) => one.id === id)
    if (index < 0) return false
    this.calls.push(`end ${id}`)
    this.sessions.splice(index, 1)
    return true
  }

  async endAllOf(userId: string): Promise<void> {
    for (const one of this.ofUser(userId)) await this.end(one.id)
  }
}

export interface PortalBench {
  readonly gateway: TestGateway
  readonly admin: (...call: Parameters<Client>) => ReturnType<Client>
  readonly actions: ReturnType<typeof portalActions>
  readonly network: FakeUserSessions
  addUser(login: string, fields?: Record<string, unknown>): Promise<string>
  set(settings: Record<string, unknown>): Promise<void>
  signIn(login: string, password?: string, address?: string): ReturnType<ReturnType<typeof portalActions>['signIn']>
}

export async function createPortalBench(options: TestOptions = {}): Promise<PortalBench> {
  const network = new FakeUserSessions()
  const gateway = await createTestGateway(options)
  // Tests move the clock further than a session lasts.
  const admin: PortalBench['admin'] = async (...call) => (await gateway.client('predefined_admin_write'))(...call)
  const userSessions = {
    list: network.list,
    ofUser: network.ofUser,
    at: network.at,
    expectedAt: (address: string) => gateway.services.of(userSessionsService).expectedAt(address),
    openWeb: (userId: string, address: string) => network.openWeb(userId, address),
    end: (id: string) => network.end(id),
    endAllOf: (userId: string) => network.endAllOf(userId),
    find: (id: string) => network.sessions.find((one) => one.id === id),
    onUnknown: gateway.services.of(userSessionsService).onUnknown,
    onEvents: gateway.services.of(userSessionsService).onEvents,
    state: gateway.services.of(userSessionsService).state,
  }
  const of: Services['of'] = <T>(service: Service<T>) =>
    service.name === userSessionsService.name ? (userSessions as T) : gateway.services.of(service)
  const actions = portalActions({ ...gateway.services, of })
  const set = async (settings: Record<string, unknown>): Promise<void> => {
    const { status, text } = await admin('PATCH', '/user_cabinet_backend/settings', settings)
    if (status !== 200) throw new Error(text)
  }
  const { status } = await admin('PATCH', '/auth/settings', { allow_internet_to_everyone: false })
  if (status !== 200) throw new Error('the settings were refused')
  await set({ enabled: true })
  return {
    gateway,
    admin,
    actions,
    network,
    set,
    signIn: (login, password = userPassword, address = localHost) => actions.signIn({ address, login, password }),
    addUser: async (login, fields = {}) => {
      const hash = await sharedHash()
      let id = ''
      await gateway.services.changeAsGateway(
        (config, tools) => {
          id = `user.id.${tools.nextId(users)}`
          return addItem(config, users, {
            id,
            name: `Name of ${login}`,
            login,
            parent_id: 'group.id.1',
            enabled: false,
            domain_type: 'local',
            domain_name: '',
            ldap_guid: '',
            phone_number: null,
            comment: '',
            password_hash: gateway.vault.seal(hash, passwordPlace(id)),
            ...fields,
          })
        },
        { reason: 'test' },
      )
      return id
    },
  }
}
