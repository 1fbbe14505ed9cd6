// Automatic backups on the wire: they reach a real FTP server and a real share through the gateway's own network, and what
// goes wrong there is told and mended.

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ApiClient } from '../support/api-client.ts'
import {
  type FileServer,
  ftpServer,
  makeServerFolder,
  reasonToSkipServers,
  shareServer,
} from '../support/file-servers.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { until } from '../support/until.ts'
import { Wire } from '../support/wire.ts'

const password = 'correct horse 9'
const secret = `tracer-${randomBytes(8).toString('hex')}`
const address = '198.51.100.20'

describe('automatic backups on the wire', { skip: reasonToSkipServers }, () => {
  let gateway: LabGateway
  let api: ApiClient
  let ftp: FileServer
  let share: FileServer
  const folders = [makeServerFolder(), makeServerFolder()] as const

  before(async () => {
    gateway = await startGateway({ adminPassword: password })
    api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
    await new Wire(gateway, '10.10.0.2', address).addAddresses('internet', 'lo', [`${address}/32`])
    ftp = ftpServer(folders[0], address, 21, secret)
    share = shareServer(folders[1], address, 445, secret)
    for (const { arrivals } of [ftp, share]) await mountSmall(join(arrivals, '..', 'small'))
    // smbd ends together with a standard input that is a pipe.
    const apart = ['/bin/sh', '-c', 'exec "$@" < /dev/null', 'sh']
    for (const { command } of [ftp, share])
      void gateway.exec('internet', [...apart, ...command], { timeoutMs: 900_000 }).catch(() => {})
    await until('both servers listen', async () => {
      const { stdout } = await gateway.exec('internet', ['/usr/bin/ss', '-Hltn'])
      return [21, 445].every((port) => stdout.includes(`${address}:${port} `))
    })
  })
  after(async () => {
    api.close()
    await gateway.stop()
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })

  /** A disk of one page, which no backup fits on. */
  async function mountSmall(path: string): Promise<void> {
    mkdirSync(path)
    const mount = ['/usr/bin/mount', '-t', 'tmpfs', '-o', 'size=4k,mode=777', 'none', path]
    const { code, stderr } = await gateway.exec('internet', mount)
    assert.equal(code, 0, stderr)
  }
  const set = async (patch: object): Promise<void> => {
    const answer = await api.call('PATCH', '/backup/settings', patch)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }
  const told = async (kind: string): Promise<string> => {
    const items = (await api.call('GET', '/backup/status')).body as { name: string; status: string; msg: string[] }[]
    const item = items.find(({ name }) => name === `${kind}-upload`)
    return `${item?.status}: ${item?.msg.join(' ')}`
  }
  const untilTold = async (kind: string, words: RegExp): Promise<void> => {
    let last = ''
    await until(`${kind} tells ${words}`, async () => {
      last = await told(kind)
      return words.test(last)
    }).catch(() => assert.fail(`${kind} told ${last}`))
  }
  const arrived = ({ arrivals }: FileServer): string[] =>
    readdirSync(arrivals).map((name) =>
      createHash('md5')
        .update(readFileSync(join(arrivals, name)))
        .digest('hex'),
    )

  it('arrive bit for bit once everything is right, and tell what was not', async () => {
    const upload = { enabled: true, server: address, password: secret }
    await set({
      common: { hour: new Date().getHours() },
      ftp: { ...upload, login: ftp.login, remote_dir: 'small' },
      cifs: { ...upload, login: share.login, remote_dir: 'share/in', password: 'wrong password' },
    })
    await untilTold('ftp', /^failed: .* its disk may be full\./)
    await untilTold('cifs', /^failed: .* refuses the login or the password\./)
    const [backup] = (await api.call('GET', '/backup/backups')).body as { md5: string }[]
    assert.ok(backup, 'the backup itself was made')

    await set({ ftp: { remote_dir: 'nowhere' }, cifs: { password: secret, remote_dir: 'share/small' } })
    await untilTold('ftp', /^failed: .* The folder nowhere does not exist/)
    await untilTold('cifs', /^failed: .* its disk is full\./)

    await set({ ftp: { remote_dir: 'in' }, cifs: { remote_dir: 'share/in' } })
    await untilTold('ftp', /^active: .* was uploaded/)
    await untilTold('cifs', /^active: .* was uploaded/)
    assert.deepEqual(arrived(ftp), [backup.md5])
    assert.deepEqual(arrived(share), [backup.md5])
  })

  it('leave their password in no log', async () => {
    for (const [name, text] of Object.entries(gateway.logs())) assert.ok(!text.includes(secret), name)
    const { body } = await api.call('GET', '/journal/records?limit=1000')
    assert.ok(!JSON.stringify(body).includes(secret))
  })
})
