// What udhcpc reports at events of a lease, recorded for gatewayd. A small program in the state folder calls this.

import { isIPv4 } from 'node:net'
import { join } from 'node:path'
import { readRegular, removeDurable, writeDurable } from '../../../files/durable.ts'
import { deviceForm } from '../../tables.ts'

/** Read by gatewayd (system/facts.ts). */
export interface Lease {
  readonly device: string
  /** With the prefix of its network. */
  readonly address: string
  readonly gateway: string | null
  readonly dns: readonly string[]
  /** Unix seconds. */
  readonly until: number
}

type Environment = Readonly<Record<string, string | undefined>>

/** The environment of udhcpc comes from a network and is read strictly. */
export function recordEvent(folder: string, event: string, env: Environment, now: number): void {
  const { interface: device = '' } = env
  if (!deviceForm.test(device)) return
  const path = join(folder, `${device}.json`)
  if (event === 'bound' || event === 'renew') {
    const lease = leaseFrom(device, env, now)
    if (lease) writeDurable(path, JSON.stringify(lease), { mode: 0o644 })
    return
  }
  // A starting client reports `deconfig` too: a lease that is still valid must survive that.
  if (event === 'nak' || (event === 'deconfig' && !isRunning(path, now))) removeDurable(path)
}

function leaseFrom(device: string, env: Environment, now: number): Lease | null {
  const { ip = '', mask = '', router = '', dns = '', lease = '' } = env
  if (!isHost(ip) || !/^\d{1,2}$/.test(mask) || Number(mask) < 1 || Number(mask) > 32) return null
  const seconds = /^\d{1,10}$/.test(lease) ? Math.max(60, Number(lease)) : 3600
  return {
    device,
    address: `${ip}/${Number(mask)}`,
    gateway: router.split(' ').find(isHost) ?? null,
    dns: dns.split(' ').filter(isHost).slice(0, 3),
    until: Math.floor(now + seconds),
  }
}

/** Not loopback, multicast, broadcast or unspecified. */
function isHost(text: string): boolean {
  const first = Number(text.split('.')[0])
  return isIPv4(text) && first > 0 && first !== 127 && first < 224
}

function isRunning(path: string, now: number): boolean {
  try {
    const { until } = JSON.parse(readRegular(path)?.toString() ?? '{}') as Partial<Lease>
    return typeof until === 'number' && until > now
  } catch {
    return false
  }
}
