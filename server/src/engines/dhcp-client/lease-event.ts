// What udhcpc reports at events of a lease, recorded for gatewayd. A small program in the state folder calls this.

import { constants, fstatSync, fsyncSync, writeSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import { uptime } from 'node:os'
import { join } from 'node:path'
import { readRegular, removeDurable, withFile, writeDurable } from '../../shared/files/durable.ts'
import { tryStoring } from '../../shared/files/reserve.ts'
import { deviceForm } from '../kit/tables.ts'
import { isLeaseOver, type LeaseEnd, type Moment } from './lease-end.ts'

/** Read by gatewayd (areas/network/runs/facts.ts). */
export interface Lease extends LeaseEnd {
  readonly device: string
  /** With the prefix of its network. */
  readonly address: string
  readonly gateway: string | null
  readonly dns: readonly string[]
}

type Environment = Readonly<Record<string, string | undefined>>

/** The environment of udhcpc comes from a network and is read strictly. */
export function recordEvent(folder: string, event: string, env: Environment, now: Moment): void {
  const { interface: device = '' } = env
  if (!deviceForm.test(device)) return
  const path = join(folder, `${device}.json`)
  if (event === 'bound' || event === 'renew') {
    const lease = leaseFrom(device, env, now)
    if (lease) store(path, JSON.stringify(lease))
    return
  }
  // A starting client reports `deconfig` too: a lease that is still valid must survive that.
  if (event === 'nak' || (event === 'deconfig' && isOver(path, now))) removeDurable(path)
}

/** A full disk has no room for another file, and the address must not end with the lease before: that one's room is taken. */
function store(path: string, text: string): void {
  if (tryStoring(() => writeDurable(path, text, { mode: 0o644 }))) return
  withFile(path, constants.O_WRONLY, (file) => {
    writeSync(file, text.padEnd(fstatSync(file).size), 0)
    fsyncSync(file)
  })
}

function leaseFrom(device: string, env: Environment, now: Moment): Lease | null {
  const { ip = '', mask = '', router = '', dns = '', lease = '' } = env
  if (!isHost(ip) || !/^\d{1,2}$/.test(mask) || Number(mask) < 1 || Number(mask) > 32) return null
  const seconds = /^\d{1,10}$/.test(lease) ? Math.max(60, Number(lease)) : 3600
  return {
    device,
    address: `${ip}/${Number(mask)}`,
    gateway: router.split(' ').find(isHost) ?? null,
    dns: dns.split(' ').filter(isHost).slice(0, 3),
    until: Math.floor(now.unix + seconds),
    boot: now.boot,
    untilUp: Math.floor(now.up + seconds),
  }
}

/** Not loopback, multicast, broadcast or unspecified. */
function isHost(text: string): boolean {
  const first = Number(text.split('.')[0])
  return isIPv4(text) && first > 0 && first !== 127 && first < 224
}

function isOver(path: string, now: Moment): boolean {
  try {
    return isLeaseOver(JSON.parse(readRegular(path)?.toString() ?? '{}') as Partial<Lease>, now)
  } catch {
    return true
  }
}

/** As gatewayd reads it (shared/time/clock.ts). Without a boot the wall clock decides. */
export const momentNow = (unix: number): Moment => ({
  unix,
  boot: readRegular('/proc/sys/kernel/random/boot_id')?.toString().trim() ?? '',
  up: uptime(),
})
