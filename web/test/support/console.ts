// The console of a gateway for browser tests: everything in the test's own process behind the real HTTPS listener, around the fake
// applier and the machine of the lab. Where packets matter, open the console of a lab instead (`labConsole`).

import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findByLogin } from '../../../server/src/areas/administrators/config.ts'
import { filterDefaults, forwardRules } from '../../../server/src/areas/firewall/config.ts'
import type { FilterRule } from '../../../server/src/areas/firewall/contract-rules.ts'
import { startHealth } from '../../../server/src/areas/health/jobs.ts'
import { adoptedConnections } from '../../../server/src/areas/network/adopt.ts'
import { connections } from '../../../server/src/areas/network/config.ts'
import type { Role } from '../../../server/src/core/contract/access.ts'
import { type Config, write } from '../../../server/src/core/model/slots.ts'
import { guardConnections } from '../../../server/src/gatewayd/http/connections.ts'
import { createTlsServer, ensureCertificate } from '../../../server/src/shared/certificates/tls.ts'
import type { LabGateway } from '../../../server/test/support/lab-gateway.ts'
import {
  createTestGateway,
  FakeClock,
  labFacts,
  type TestGateway,
  type TestOptions,
  testPassword,
} from '../../../server/test/support/test-gateway.ts'
import { sampleParts } from './sample-parts.ts'

/** Real time, which may be moved forward too. */
export class LiveClock extends FakeClock {
  readonly #started = performance.now()
  #moved = 0
  override now = (): Date => new Date(Date.now() + this.#moved * 1000)
  override elapsed = (): number => 1_000 + this.#moved + (performance.now() - this.#started) / 1000
  override advance(seconds: number): void {
    this.#moved += seconds
  }
}

/** Where a browser finds a console, and who may sign in there. */
export interface ConsoleAddress {
  /** Without a slash at its end. */
  readonly url: string
  readonly login: string
  readonly password: string
}

export interface SessionCookie {
  readonly name: string
  readonly value: string
  readonly url: string
  readonly secure: boolean
  readonly sameSite: 'Strict'
}

export interface Console extends ConsoleAddress {
  readonly gateway: TestGateway
  readonly clock: LiveClock
  /** Signs in without a page; the account is made when there is none. */
  signIn(role?: Role, login?: string): Promise<readonly SessionCookie[]>
  /** A change of the configuration that no page made. */
  change(edit: (config: Config) => Config, reason?: string): Promise<void>
  /** As many FORWARD rules; `rule` says in what one differs from the usual. */
  seedRules(count: number, rule?: (index: number) => object): Promise<void>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export const administrator = 'admin'

export async function startConsole(options: Omit<TestOptions, 'clock'> = {}): Promise<Console> {
  const isBuilt = options.parts?.consoleFolder ?? existsSync(new URL('../../dist/files.json', import.meta.url))
  if (!isBuilt) {
    throw new Error('The console is not built: npm run web:build.')
  }
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-console-'))
  const certificate = await ensureCertificate(folder, ['localhost', '127.0.0.1'], new Date())
  const clock = new LiveClock()
  const servers: Server[] = []
  const gateway = await createTestGateway({
    ...options,
    clock,
    parts: {
      ...sampleParts(clock),
      managementCertificate: () => certificate.chain,
      // Pages stay connected to their events.
      streamLimits: {},
      ...options.parts,
      serverFactory: (handler) => {
        const server = guardConnections(createTlsServer(certificate, handler))
        servers.push(server)
        return server
      },
    },
  })
  const { engine, services } = gateway
  await gateway.http.listen({ host: '127.0.0.1', port: 0 })
  const health = startHealth(services, (error) => {
    throw error
  })
  const change = async (edit: (config: Config) => Config, reason = 'prepared by a test'): Promise<void> => {
    await services.changeAsGateway(edit, { reason })
  }
  await services.changeAsGateway(
    (config, tools) =>
      write(
        config,
        connections,
        adoptedConnections(labFacts, new Map([['wan0', '203.0.113.1']]), () => tools.nextId(connections)),
      ),
    { reason: 'Interfaces found on this machine' },
  )
  await gateway.addAdministrator(administrator, 'predefined_admin_write')
  const [server] = servers
  if (!server) throw new Error('no listener was made')
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = async (): Promise<void> => {
    health.stop()
    server.closeAllConnections()
    await gateway.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return {
    url,
    login: administrator,
    password: testPassword,
    gateway,
    clock,
    signIn: async (role = 'predefined_admin_write', login) => {
      const name = login ?? (role === 'predefined_admin_write' ? administrator : role)
      const id = findByLogin(engine.config, name)?.id ?? (await gateway.addAdministrator(name, role))
      const { session, secureName, secureValue } = services.accounts.sessions.create(id, '127.0.0.1', '/')
      const cookie = { url, secure: true, sameSite: 'Strict' } as const
      return [
        { ...cookie, name: 'insecure-portcullis-session', value: session },
        { ...cookie, name: `__Secure-portcullis-${secureName}`, value: secureValue },
      ]
    },
    change,
    seedRules: (count, rule = usualRule) =>
      services.changeAsGateway(
        (config, tools) =>
          write(
            config,
            forwardRules,
            Array.from({ length: count }, (_, index): FilterRule => {
              const fields = { ...filterDefaults, action: 'accept' as const, ...rule(index) }
              return { ...fields, id: tools.nextId(forwardRules) } as unknown as FilterRule
            }),
          ),
        { reason: `${count} rules for a test` },
      ),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Rules that differ in what is searched, sorted and shown. */
const usualRule = (index: number): Partial<FilterRule> => ({
  action: index % 5 === 4 ? 'drop' : 'accept',
  protocol: index % 3 === 2 ? 'protocol.udp' : 'protocol.tcp',
  enabled: index % 17 !== 16,
  comment: `Rule ${index + 1} of the ${index % 2 === 0 ? 'office' : 'branch'}`,
})

/** The console of a lab gateway that was started with this password. */
export const labConsole = (gateway: LabGateway, password: string): ConsoleAddress => ({
  url: gateway.address,
  login: administrator,
  password,
})
