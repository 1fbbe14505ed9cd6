// Messages by SMTP, to a real server in each of its modes: encrypted or not at all, and text that never becomes syntax.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createSmtpServer, type SmtpOptions, type SmtpServer } from '../../../../test/support/smtp-server.ts'
import { until } from '../../../../test/support/until.ts'
import { ensureCertificate } from '../../../shared/certificates/tls.ts'
import { createSendMail, type MailCall } from './mail.ts'

const name = 'mail.example.test'
const folder = mkdtempSync(join(tmpdir(), 'portcullis-mail-'))
const send = createSendMail('gateway.test')
let tls: { readonly key: string; readonly cert: string }
before(async () => {
  const { key, chain } = await ensureCertificate(folder, [name], new Date())
  tls = { key, cert: chain }
})
after(() => rmSync(folder, { recursive: true }))

async function withServer<T>(options: SmtpOptions, work: (smtp: SmtpServer, call: MailCall) => Promise<T>): Promise<T> {
  const smtp = createSmtpServer({ tls, ...options })
  await new Promise<void>((resolve) => smtp.server.listen(0, '127.0.0.1', resolve))
  const call: MailCall = {
    server: name,
    address: '127.0.0.1',
    port: (smtp.server.address() as AddressInfo).port,
    security: 'none',
    login: '',
    password: '',
    ca: tls.cert,
    from: 'gateway@example.test',
    to: ['admin@example.test'],
    subject: 'Failed: disk',
    text: 'It is full.\n.\nReally.\n',
    messageId: 'notice-1',
  }
  try {
    return await work(smtp, call)
  } finally {
    smtp.server.close()
  }
}

const account = 'sender:secret word'
const signedIn = { login: 'sender', password: 'secret word' }

describe('a message', () => {
  it('is delivered unencrypted where that is asked for, with all its lines', () =>
    withServer({ mode: 'plain' }, async (smtp, call) => {
      assert.equal(await send({ ...call, to: ['a@example.test', 'b@example.test'] }), null)
      const [mail] = smtp.mails
      assert.deepEqual([mail?.from, mail?.to], ['gateway@example.test', ['a@example.test', 'b@example.test']])
      assert.match(mail?.data ?? '', /^Subject: Failed: disk\r?$/m)
      assert.match(mail?.data ?? '', /^Message-ID: <notice-1@example.test>\r?$/m)
      assert.match(mail?.data ?? '', /It is full.\r\n\.\r\nReally\./)
    }))

  it('is not sent where a password would be readable on the way', () =>
    withServer({ mode: 'plain', account }, async (smtp, call) => {
      assert.match(String(await send({ ...call, ...signedIn })), /only over TLS/)
      assert.equal(smtp.connections, 0)
    }))

  it('is encrypted by STARTTLS before it signs in', () =>
    withServer({ mode: 'starttls', account }, async (smtp, call) => {
      assert.equal(await send({ ...call, ...signedIn, security: 'starttls' }), null)
      assert.deepEqual(
        smtp.mails.map(({ isEncrypted, login }) => [isEncrypted, login]),
        [[true, 'sender']],
      )
      assert.deepEqual(
        smtp.clear.map((line) => line.split(' ')[0]),
        ['EHLO', 'STARTTLS'],
      )
    }))

  it('is encrypted from the first byte', () =>
    withServer({ mode: 'tls', account }, async (smtp, call) => {
      assert.equal(await send({ ...call, ...signedIn, security: 'tls' }), null)
      assert.deepEqual([smtp.mails[0]?.isEncrypted, smtp.clear], [true, []])
    }))

  it('is not sent where the server does not offer encryption that is required', () =>
    withServer({ mode: 'plain', account }, async (smtp, call) => {
      assert.equal(typeof (await send({ ...call, ...signedIn, security: 'starttls' })), 'string')
      assert.deepEqual(smtp.mails, [])
      assert.ok(!smtp.clear.some((line) => line.startsWith('AUTH')))
    }))

  it('is not sent to a server with another name or of an unknown authority', () =>
    withServer({ mode: 'tls' }, async (smtp, call) => {
      for (const other of [{ server: 'other.example.test' }, { ca: '' }])
        assert.match(String(await send({ ...call, security: 'tls', ...other })), /not sent/)
      assert.deepEqual(smtp.mails, [])
    }))

  it('is not sent with a wrong password, which is not repeated in the fault', () =>
    withServer({ mode: 'tls', account }, async (smtp, call) => {
      const fault = await send({ ...call, login: 'sender', password: 'wrong word', security: 'tls' })
      assert.equal(fault, 'The server refuses the login or the password.')
      assert.deepEqual(smtp.mails, [])
    }))

  it('that is refused reports the words of the server, as one plain line', () =>
    withServer({ mode: 'plain', answers: { RCPT: '550 no such user \u0007\u001b[31m' } }, async (_, call) => {
      assert.match(String(await send(call)), /^The server refused the message: [\x20-\x7e]*$/)
    }))

  it('for several of which one is refused is reported, and counts as sent', () => {
    let count = 0
    const answers = {
      get RCPT(): string {
        return count++ === 0 ? '250 ok' : '550 unknown'
      },
    }
    return withServer({ mode: 'plain', answers }, async (_, call) => {
      const fault = await send({ ...call, to: ['a@example.test', 'b@example.test'] })
      assert.deepEqual(fault, { note: 'The server refused the recipient b@example.test.' })
    })
  })

  it('never becomes a header or a command, whatever is in it', () =>
    withServer({ mode: 'plain' }, async (smtp, call) => {
      const hostile = 'x\r\nBcc: victim@example.test\r\n\r\n.\r\nMAIL FROM:<evil@example.test>\r\n\u2028ü'
      assert.equal(await send({ ...call, subject: hostile, text: hostile }), null)
      assert.equal(smtp.mails.length, 1)
      assert.deepEqual(smtp.mails[0]?.to, ['admin@example.test'])
      const [head = ''] = smtp.mails[0]?.data.split('\r\n\r\n', 1) ?? []
      assert.doesNotMatch(head, /^Bcc:/im)
      assert.equal(smtp.clear.filter((line) => line.startsWith('MAIL')).length, 1)
    }))

  it('to a server that says a word from time to time, and never the last one, ends with its connection', async () => {
    const open = new Set<Socket>()
    const slow = createServer((socket) => {
      open.add(socket)
      const timer = setInterval(() => socket.write('220-wait\r\n'), 20)
      socket.on('error', () => {})
      socket.once('close', () => {
        clearInterval(timer)
        open.delete(socket)
      })
    })
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
    await withServer({ mode: 'plain' }, async (_, call) => {
      const { port } = slow.address() as AddressInfo
      const fault = await createSendMail('gateway.test', 200)({ ...call, port })
      assert.equal(fault, 'The message was not sent: The server did not take the message in time.')
      await until('the connection is over', () => open.size === 0)
    })
    slow.close()
  })

  it('to a server that is away is a fault', async () => {
    const port = await withServer({ mode: 'plain' }, async (_, call) => call.port)
    await withServer({ mode: 'plain' }, async (_, call) => {
      assert.match(String(await send({ ...call, port })), /not sent/)
    })
  })
})
