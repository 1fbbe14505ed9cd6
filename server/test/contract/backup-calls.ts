// What the tests of backups share: gateways that are closed after each test, a furnished configuration, and the calls that
// carry a backup from one gateway to another.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { afterEach } from 'node:test'
import { type ArchiveInfo, sealArchive } from '../../src/areas/backup/runs/archive.ts'
import { openSigningKey } from '../../src/areas/backup/runs/signing-key.ts'
import type { Entries } from '../../src/areas/backup/runs/tar.ts'
import { backupsService } from '../../src/areas/backup/service.ts'
import {
  type Answer,
  type Client,
  createTestGateway,
  type TestGateway,
  type TestOptions,
} from '../support/test-gateway.ts'

/** A secret that may show up nowhere in clear. */
export const tracer = `tracer-${randomBytes(8).toString('hex')}`

export const ftp = { enabled: true, server: 'ftp.example', login: 'up', password: tracer, remote_dir: 'dir_1/backup' }

export const runningVersion = {
  major: 0,
  minor: 1,
  build: 0,
  timestamp: 1_794_700_800,
  vendor: 'Portcullis',
  product: 'UTM',
  kind: 'STANDARD',
  release_type: 'devel',
} as const

export interface Gateways {
  start(options?: TestOptions): Promise<TestGateway>
  /** The same state again, as after a restart. */
  restart(gateway: TestGateway, changes?: Pick<TestOptions, 'extraAreas'>): Promise<TestGateway>
}

/** For one test file: all are closed after each test. */
export function useGateways(): Gateways {
  const running: TestGateway[] = []
  afterEach(async () => {
    for (const gateway of running.splice(0)) await gateway.close()
  })
  return {
    start: async (options = {}) => {
      const gateway = await createTestGateway(options)
      running.push(gateway)
      return gateway
    },
    restart: async (gateway, changes) => {
      const again = await gateway.restart(changes)
      running.splice(running.indexOf(gateway), 1, again)
      return again
    },
  }
}

export const multipart = (bytes: Buffer): readonly [Buffer, Record<string, string>] => [
  Buffer.concat([
    Buffer.from('--x-boundary-x\r\nContent-Disposition: form-data; name="backup_file"; filename="b"\r\n\r\n'),
    bytes,
    Buffer.from('\r\n--x-boundary-x--\r\n'),
  ]),
  { 'content-type': 'multipart/form-data; boundary=x-boundary-x' },
]

export function upload(client: Client, bytes: Buffer): Promise<Answer> {
  const [body, headers] = multipart(bytes)
  return client('POST', '/backup/upload', body, headers)
}

export async function make(client: Client, comment = 'by hand'): Promise<string> {
  const answer = await client('POST', '/backup/backups', { comment })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.id
}

export async function download(gateway: TestGateway, client: Client, id: string): Promise<Buffer> {
  const url = `/backup/download/${id}`
  const answer = await gateway.http.inject({
    method: 'GET',
    url,
    headers: { host: 'gateway.test', cookie: client.cookie },
  })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.rawPayload
}

/** A file as that gateway itself makes it, around content of the test's choosing. */
export const sealedBy = ({ services, folder }: TestGateway, info: ArchiveInfo, entries: Entries): Promise<Buffer> =>
  sealArchive(info, entries, services.of(backupsService).keys.own, openSigningKey(join(folder, 'backup-signing.key')))

/** A configuration with something of every kind: settings, lists in an order, numbers, secrets. */
export async function furnish(admin: Client): Promise<void> {
  const calls: readonly (readonly [string, string, unknown])[] = [
    ['PATCH', '/backup/settings', { ftp }],
    ['PATCH', '/firewall/settings', { log_mode: 'all' }],
    ['POST', '/aliases/ip_addresses', { title: 'One', comment: '', value: '192.168.0.1' }],
    ['POST', '/aliases/ip_addresses', { title: 'Two', comment: '', value: '192.168.0.2' }],
    ['POST', '/aliases/ip_addresses', { title: 'Three', comment: '', value: '192.168.0.3' }],
    ['POST', '/license/register', { token: 'a-licence-token' }],
  ]
  for (const [method, url, body] of calls) {
    const answer = await admin(method, url, body)
    assert.equal(answer.status, 200, `${url}: ${answer.text}`)
  }
}
