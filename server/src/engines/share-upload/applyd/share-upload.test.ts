// Backups arrive at a real share as they are; the password is not visible on the way, and only backups are sent.
// Requirement 28.

import assert from 'node:assert/strict'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import {
  freePort,
  type RunningServer,
  reasonToSkipServers,
  shareServer,
  startOnLoopback,
} from '../../../../test/support/file-servers.ts'
import { until } from '../../../../test/support/until.ts'
import type { ShareUpload, ShareUploadResult } from '../request.ts'
import { createShareUploader, parseShareUpload } from './upload.ts'

const password = `pä %ss"w;ord-${randomBytes(6).toString('hex')}`
const backup = randomUUID()
const content = randomBytes(300_000)
const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex')
const request: ShareUpload = {
  backup,
  name: 'gateway-1.backup',
  server: 'files.example',
  address: '127.0.0.1',
  share: 'share',
  folder: 'in',
  login: 'daemon',
  password,
}
/** Files belong to root here, and the program still runs as its own account. */
const service = { uid: 0, gid: 0 }
const user = { uid: 70_002, gid: 70_002 }

describe('an upload to smbd', { skip: reasonToSkipServers }, () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'share-upload-'))
  const folder = join(stateDir, 'backups')
  mkdirSync(folder, { recursive: true })
  let server: RunningServer
  before(async () => {
    writeFileSync(join(folder, `${backup}.backup`), content, { mode: 0o600 })
    server = await startOnLoopback(shareServer, password)
  })
  after(async () => {
    rmSync(stateDir, { recursive: true })
    await server.stop()
  })

  const upload = (more: Partial<ShareUpload> = {}, port = server.port): Promise<ShareUploadResult> =>
    createShareUploader({ stateDir, service, user, port }).upload({ ...request, ...more })

  it('arrives bit for bit under its name, also over an older one', async () => {
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(await upload(), { isDone: true })
      assert.deepEqual(readdirSync(server.arrivals), [request.name])
      assert.equal(md5(readFileSync(join(server.arrivals, request.name))), md5(content))
    }
  })

  it('reports the status of a failure', async () => {
    const failed = (status: string) => ({ isDone: false, status })
    assert.deepEqual(await upload({ password: 'wrong' }), failed('NT_STATUS_LOGON_FAILURE'))
    assert.deepEqual(await upload({ login: 'somebody' }), failed('NT_STATUS_LOGON_FAILURE'))
    assert.deepEqual(await upload({ share: 'nowhere' }), failed('NT_STATUS_BAD_NETWORK_NAME'))
    assert.deepEqual(await upload({ folder: 'in/nowhere' }), failed('NT_STATUS_OBJECT_NAME_NOT_FOUND'))
    assert.deepEqual(await upload({ folder: '' }), failed('NT_STATUS_ACCESS_DENIED'))
    assert.deepEqual(await upload({}, await freePort()), failed('NT_STATUS_CONNECTION_REFUSED'))
  })

  it('does not run a setting as a command', async () => {
    for (const text of ['in; rm gateway-1.backup', 'in" ; quit', '!id', '-N', '`id`', '$(id)'])
      assert.equal((await upload({ folder: text })).isDone, false, text)
    assert.deepEqual(readdirSync(server.arrivals), [request.name])
  })

  it('ends in time at a server that is silent, and never shows the password', async () => {
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const uploader = createShareUploader({ stateDir, service, user, port, wholeMs: 30_000 })
    const outcome = uploader.upload(request)
    const clients = (): string[] => readdirSync('/proc').filter((pid) => isClient(pid, port))
    await until('the program runs', () => clients().length > 0)
    for (const pid of clients()) {
      for (const name of ['cmdline', 'environ']) assert.ok(!readProc(pid, name).includes(password.slice(-12)), name)
      const status = readProc(pid, 'status')
      assert.match(status, /^Uid:\t70002\t70002\t70002\t70002$/m)
      for (const line of [/^NoNewPrivs:\t1$/m, /^CapBnd:\t0+$/m, /^CapEff:\t0+$/m]) assert.match(status, line)
    }
    uploader.stop()
    assert.deepEqual(await outcome, { isDone: false, status: 'timeout' })
    silent.close()
  })

  it('sends nothing but a backup of the service', async () => {
    const secret = join(folder, 'secret')
    writeFileSync(secret, 'of root', { mode: 0o600 })
    const [linked, absent] = [randomUUID(), randomUUID()]
    symlinkSync(secret, join(folder, `${linked}.backup`))
    linkSync(secret, join(folder, 'hard'))
    await assert.rejects(upload({ backup: linked }), /The backup does not exist/)
    await assert.rejects(upload({ backup: absent }), /The backup does not exist/)
    const others = createShareUploader({ stateDir, service: { uid: 1, gid: 1 }, user, port: server.port })
    await assert.rejects(others.upload(request), /The backup does not exist/)
  })
})

describe('a request for a share', () => {
  it('is accepted in its exact form only', () => {
    assert.deepEqual(parseShareUpload({ ...request, folder: 'dir_2/back up' }), { ...request, folder: 'dir_2/back up' })
    const wrong: readonly Partial<Record<keyof ShareUpload, unknown>>[] = [
      ...['..', '../x', 'x', '', `${backup}/../x`, 7].map((value) => ({ backup: value })),
      ...['-x', '.x', 'a/b', 'a b', 'a;b', 'a\nb', '', 'x'.repeat(200)].map((name) => ({ name })),
      ...['-N', 'a/b', 'a b', '//x', ''].map((server) => ({ server })),
      ...['localhost', '::1', '2130706433', '127.1', ''].map((address) => ({ address })),
      ...['a/b', 'a\\b', 'a"b', '', 'a\nb'].map((share) => ({ share })),
      ...['..', 'a/../b', 'a/..', 'a\\b', 'a"b', 'a\nb'].map((folder) => ({ folder })),
      ...['a%b', '', 'a\nb'].map((login) => ({ login })),
      ...['', 'a\nb', 'a\0b'].map((secret) => ({ password: secret })),
    ]
    for (const more of wrong) assert.throws(() => parseShareUpload({ ...request, ...more }), JSON.stringify(more))
    assert.throws(() => parseShareUpload({ ...request, path: '/etc/shadow' }))
  })
})

function readProc(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}

const isClient = (pid: string, port: number): boolean => {
  const line = /^\d+$/.test(pid) ? readProc(pid, 'cmdline') : ''
  return line.startsWith('/usr/bin/smbclient') && line.includes(`--port=${port}`)
}
