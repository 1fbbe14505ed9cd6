// What a new state gets when the gateway first starts: its interfaces, the ports in use from outside, the first administrator.
// Wiring only.

import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { administrators, passwordPlace } from '../areas/administrators/config.ts'
import { addAdministrator } from '../areas/administrators/lists.ts'
import { exposedPorts, keepOpen } from '../areas/firewall/adopt.ts'
import { adoptedConnections } from '../areas/network/adopt.ts'
import { connections } from '../areas/network/config.ts'
import { readDefaultGateways } from '../areas/network/runs/facts.ts'
import { readTcpUse } from '../areas/web-proxy/runs/tcp-connections.ts'
import type { Log } from '../core/log.ts'
import { read, write } from '../core/model/slots.ts'
import { say } from '../shared/said.ts'
import type { Gateway } from './app.ts'
import type { Settings } from './settings.ts'
import { keepSsh } from './ssh-greeting.ts'

/** How much of the age of the first password a reboot can lose. */
const firstPasswordMilliseconds = 60_000

/** A new state takes the interfaces over as they are, so that no one who relies on them is cut off. */
export async function adoptNetwork({ services }: Gateway): Promise<void> {
  const { engine } = services
  if (engine.revision > 0) return
  const facts = services.facts()
  await services.changeAsGateway(
    (config, tools) =>
      write(
        config,
        connections,
        adoptedConnections(facts, readDefaultGateways(), () => tools.nextId(connections)),
      ),
    { reason: say`Interfaces found on this machine`, isDeferred: true },
  )
}

/** Once for each state: SSH in use from outside stays open, while everything else from there is dropped from now on. */
export async function keepOutsideOpen(
  { services }: Gateway,
  { listen: { host, port }, listenFd }: Settings,
  { folder, isOlder, log }: { readonly folder: string; readonly isOlder: boolean; readonly log: Log },
): Promise<void> {
  const marker = join(folder, 'outside-closed')
  if (existsSync(marker)) return
  const { inbound, listening } = readTcpUse()
  // A socket that the launcher handed in may be of another network: that of the machine around the lab.
  const isOurs = listenFd === null || listening.has(port)
  // Anyone can be connected to the other services, and would keep them open so.
  const ends = [...(await keepSsh(inbound)), ...(isOlder && isOurs ? [{ address: host, port }] : [])]
  const open = exposedPorts(services.engine.config, services.facts(), ends)
  const reason = 'Ports in use from outside stay open; other new connections from there are dropped'
  try {
    if (open.length > 0)
      await services.changeAsGateway((config, tools) => keepOpen(config, tools, open), { reason, isDeferred: true })
    writeFileSync(marker, '', { mode: 0o600 })
  } catch (error) {
    // A change on probation or a full disk must not prevent the start; the next one tries again.
    log('warning', 'ports in use from outside were not kept open', { error })
  }
}

/** A new state gets the administrator `admin`. A password made here is kept as the first password until it is used. */
export async function ensureFirstAdministrator({ services }: Gateway, given: string | null): Promise<void> {
  const { engine, vault, clock } = services
  const { passwords } = services.accounts
  if (read(engine.config, administrators).length > 0) return
  const password = given ?? randomBytes(15).toString('base64url')
  const id = randomUUID()
  const sealed = {
    hash: vault.seal(await passwords.hash(password), passwordPlace(id)),
    timestamp: Math.floor(clock.now().getTime() / 1000),
  }
  const fields = {
    enabled: true,
    name: 'Administrator',
    login: 'admin',
    role: 'predefined_admin_write' as const,
    comment: '',
    password: '',
  }
  if (given === null) services.accounts.firstPassword.begin({ id, password_timestamp: sealed.timestamp }, password)
  await services.changeAsGateway((config) => addAdministrator(config, id, fields, sealed), {
    reason: say`First administrator`,
  })
}

/** The password to show while it waits for its first use. */
export function followFirstPassword({ services }: Gateway, log: Log): string | null {
  const { firstPassword } = services.accounts
  const pending = firstPassword.pending()
  const timer = setInterval(follow, firstPasswordMilliseconds).unref()
  follow()
  return pending

  function follow(): void {
    if (firstPassword.keepAge()) return
    clearInterval(timer)
    if (firstPassword.hasExpired()) log('warning', 'the first password expired before it was used; run gw admin reset')
  }
}
