// Files arrive at a real FTP server as they are, and whatever a server does instead ends in time and in a plain sentence.

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, afterEach, before, describe, it } from 'node:test'
import {
  freePort,
  ftpServer,
  type RunningServer,
  reasonToSkipServers,
  startOnLoopback,
} from '../../../../test/support/file-servers.ts'
import { type FtpTarget, type UploadFile, uploadByFtp } from './ftp-upload.ts'

const password = `pass-${randomBytes(6).toString('hex')}`
const content = randomBytes(300_000)
const file: UploadFile = {
  name: 'gateway-1.backup',
  size: content.length,
  read: async () => Readable.from([content.subarray(0, 1_000), content.subarray(1_000)]),
}
const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex')
const limits = { idleMs: 2_000, wholeMs: 4_000 }

describe('an upload to vsftpd', { skip: reasonToSkipServers }, () => {
  let server: RunningServer
  before(async () => {
    server = await startOnLoopback(ftpServer, password)
  })
  after(() => server.stop())

  const target = (more: Partial<FtpTarget> = {}): FtpTarget => ({
    address: '127.0.0.1',
    port: server.port,
    login: server.login,
    password,
    folder: 'in',
    ...more,
  })
  const fails = (more: Partial<FtpTarget>, reason: RegExp) =>
    assert.rejects(uploadByFtp(target(more), file, limits), (error: Error) => {
      assert.match(error.message, reason)
      assert.ok(!error.message.includes(password))
      return true
    })

  it('arrives bit for bit under its name, also over an older one', async () => {
    for (let round = 0; round < 2; round++) {
      await uploadByFtp(target({ folder: '/in/' }), file)
      assert.deepEqual(readdirSync(server.arrivals), [file.name])
      assert.equal(md5(readFileSync(join(server.arrivals, file.name))), md5(content))
    }
  })

  it('reports a wrong password, a missing folder, a folder that may not be written and a server that is gone', async () => {
    await fails({ password: 'wrong' }, /^The server refuses the login or the password\. It says: 530 /)
    await fails({ folder: 'in/nowhere' }, /^The folder in\/nowhere does not exist or cannot be entered\. It says: 550 /)
    await fails({ folder: '/' }, /^The server does not allow writing to this folder\. It says: 553 /)
    await fails({ port: await freePort() }, /^The server refuses the connection: the port is closed\.$/)
  })

  it('never lets a setting become a separate command', async () => {
    for (const folder of ['in\r\nDELE gateway-1.backup', 'in\nQUIT', 'in\0'])
      await assert.rejects(uploadByFtp(target({ folder }), file, limits))
    assert.ok(readdirSync(server.arrivals).includes(file.name))
  })
})

describe('an upload to a server that is not one, or a bad one', () => {
  const servers: Server[] = []
  const sockets: Socket[] = []
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
    for (const server of servers.splice(0)) server.close()
  })

  /** Says what `answers` has for the start of a line, in their order. */
  async function serve(greeting: string, answers: Readonly<Record<string, string>>): Promise<number> {
    const server = createServer((socket) => {
      sockets.push(socket)
      socket.on('error', () => {})
      socket.write(greeting)
      socket.on('data', (bytes) => {
        for (const line of bytes.toString().split('\r\n').filter(Boolean)) {
          const answer = Object.entries(answers).find(([start]) => line.startsWith(start))?.[1]
          if (answer !== undefined) socket.write(answer)
        }
      })
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }
  const reasonAt = async (port: number, some = limits): Promise<string> => {
    const target: FtpTarget = { address: '127.0.0.1', port, login: 'up', password, folder: 'in' }
    const outcome = uploadByFtp(target, file, some)
    return outcome.then(
      () => 'it was taken',
      (error: Error) => error.message,
    )
  }
  const polite = { USER: '331 ok\r\n', PASS: '230 ok\r\n', CWD: '250 ok\r\n', EPSV: '522 no\r\n' }
  const usual = { ...polite, FEAT: '211 no\r\n', TYPE: '200 ok\r\n', STRU: '200 ok\r\n', OPTS: '200 ok\r\n' }

  it('ends in time when the server is silent, or never comes to an end', async () => {
    const quick = { idleMs: 200, wholeMs: 400 }
    assert.equal(await reasonAt(await serve('', {}), quick), 'The server did not answer in time.')
    assert.equal(await reasonAt(await serve('220 hi\r\n', {}), quick), 'The server did not answer in time.')
    const port = await serve('220-hi\r\n', {})
    const drip = setInterval(() => {
      for (const socket of sockets) socket.write('220-still\r\n')
    }, 50)
    assert.equal(await reasonAt(port, quick), 'The server did not answer in time.')
    clearInterval(drip)
  })

  it('shows what a server says in one short clean line, and never the password in it', async () => {
    const long = `530 \u001b[31m${password}\u0007\u202e wrong: ${password} ${'x'.repeat(5_000)}\r\n`
    const reason = await reasonAt(await serve('220 hi\r\n', { USER: '331 ok\r\n', PASS: long }))
    assert.match(reason, /^The server refuses the login or the password\. It says: 530 \[31m\*\*\* wrong: \*\*\* x+$/)
    assert.ok(reason.length < 250)
    const endless = await serve(`220-${'x'.repeat(200_000)}\r\n`, {})
    assert.equal(await reasonAt(endless), 'The server does not answer as an FTP server does.')
    assert.equal(
      await reasonAt(await serve('HTTP/1.1 400 Bad Request\r\n\r\n', {}), { idleMs: 200, wholeMs: 400 }),
      'The server did not answer in time.',
    )
  })

  it('goes to no other address than the one that was given', async () => {
    const elsewhere = await serve('220 hi\r\n', { ...usual, PASV: '227 ok (192,0,2,1,10,10)\r\n' })
    assert.equal(
      await reasonAt(elsewhere),
      'The server asked to send the file to another address, which is not allowed.',
    )
  })

  it('reports a full disk, a server that takes no more and one that breaks off', async () => {
    const data = await serve('', {})
    const pasv = `227 ok (127,0,0,1,${data >> 8},${data & 255})\r\n`
    const full = await serve('220 hi\r\n', {
      ...usual,
      PASV: pasv,
      STOR: '452 No space left on device\r\n',
      DELE: '250 ok\r\n',
    })
    assert.equal(
      await reasonAt(full),
      'The server could not write the file: its disk may be full. It says: 452 No space left on device',
    )
    assert.match(await reasonAt(await serve('421 busy\r\n', {})), /^The server accepts no more connections now\./)
    const short = { ...usual, PASV: pasv, STOR: '150 go\r\n226 done\r\n', SIZE: '213 17\r\n', DELE: '250 ok\r\n' }
    assert.equal(await reasonAt(await serve('220 hi\r\n', short)), 'The server stored only part of the file.')
    const port = await serve('220 hi\r\n', { USER: '331 ok\r\n' })
    const broken = reasonAt(port)
    const cut = setInterval(() => sockets.at(-1)?.end(), 20)
    assert.equal(await broken, 'The server closed the connection.')
    clearInterval(cut)
  })
})
