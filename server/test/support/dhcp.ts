// Requests leases from inside a lab, and reads the answers.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import type { LabGateway } from './lab-gateway.ts'

export interface DhcpAsk {
  /** `reboot`: a client that had an address asks whether it still has it. */
  readonly kind: 'discover' | 'lease' | 'reboot'
  readonly mac: string
  readonly address?: string
  /** Options that the client asks for. */
  readonly wants?: readonly number[]
  /** Options that the client sends, in hex. */
  readonly options?: Readonly<Record<number, string>>
  /** Where to, when there is no default route. */
  readonly to?: string
  readonly timeoutMs?: number
}

export interface DhcpAnswer {
  readonly type: number
  readonly address: string
  readonly nextServer: string
  readonly serverName: string
  readonly file: string
  /** In hex, by number. */
  readonly options: Readonly<Record<number, string>>
}

export const acknowledged = 5
export const refused = 6

export async function askDhcp(
  gateway: LabGateway,
  namespace: string,
  asks: readonly DhcpAsk[],
): Promise<(DhcpAnswer | null)[]> {
  const command = [runtimePath(appRoot), join(appRoot, 'server/test/support/dhcp-asker.ts')]
  const { stdout, stderr } = await gateway.exec(namespace, command, { input: JSON.stringify(asks), timeoutMs: 120_000 })
  assert.equal(stderr, '')
  return JSON.parse(stdout) as (DhcpAnswer | null)[]
}

/** All at the same time; a client that is refused begins again, as real ones do. */
export async function askDhcpTogether(
  gateway: LabGateway,
  namespace: string,
  asks: readonly DhcpAsk[],
): Promise<(DhcpAnswer | null)[]> {
  const command = [runtimePath(appRoot), join(appRoot, 'server/test/support/dhcp-asker.ts'), 'together']
  const { stdout, stderr } = await gateway.exec(namespace, command, { input: JSON.stringify(asks), timeoutMs: 180_000 })
  assert.equal(stderr, '')
  return JSON.parse(stdout) as (DhcpAnswer | null)[]
}

/** `0a0a0001` as an address, several with commas. */
export const addressesIn = (hex: string | undefined): string =>
  (hex?.match(/.{8}/g) ?? []).map((part) => [...Buffer.from(part, 'hex')].join('.')).join(',')

/** Some texts end with a zero byte, for old clients. */
export const textIn = (hex: string | undefined): string =>
  Buffer.from(hex ?? '', 'hex')
    .toString('utf8')
    .replace(/\0$/, '')

export const hexOf = (text: string): string => Buffer.from(text).toString('hex')
