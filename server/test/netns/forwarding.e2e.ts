// The log on its way to a collector: a real rsyslogd and a plain socket in the internet of the lab get every record that the
// gateway wrote, in order, whatever happens to the collector, to gatewayd and to the settings in the meantime.

import assert from 'node:assert/strict'
import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { makeCertificate } from '../../src/shared/certificates/certificate-maker.ts'
import { ApiClient } from '../support/api-client.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { type Collector, reasonToSkipCollectors, rsyslogCollector } from '../support/log-collectors.ts'
import { until } from '../support/until.ts'
import { Wire } from '../support/wire.ts'

const password = 'correct horse 9'
const address = '198.51.100.20'
const path = '/logs_backend/remote_syslog'

describe('the log on its way to a collector', { skip: reasonToSkipCollectors }, () => {
  let gateway: LabGateway
  let api: ApiClient
  let written = 0
  let lastPort = 5_514
  const folder = mkdtempSync(join(tmpdir(), 'collector-'))
  const running = new Set<string>()

  before(async () => {
    chmodSync(folder, 0o755)
    gateway = await startGateway({ adminPassword: password })
    api = new ApiClient(gateway.address)
    await api.signIn('admin', password)
    await new Wire(gateway, '10.10.0.2', address).addAddresses('internet', 'lo', [`${address}/32`])
  })
  afterEach(async () => {
    await api.ok('PATCH', `${path}/state`, { enabled: false })
    await api.ok('PATCH', `${path}/tls`, { enabled: false })
    for (const name of running) await signal(name, 'KILL')
  })
  after(async () => {
    api.close()
    await gateway.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Lines that a service wrote; they are known by their number. */
  const write = (count: number): void => {
    const time = new Date().toISOString()
    const lines = Array.from({ length: count }, () => {
      written++
      return `${JSON.stringify({ time, level: 'info', message: `forwarded number ${written}.` })}\n`
    })
    appendFileSync(join(gateway.stateDir, 'log', 'launcher.log'), lines.join(''))
  }
  const numbersOf = (messages: readonly string[]): number[] =>
    messages.flatMap((message) => {
      const number = /forwarded number (\d+)\.$/.exec(message)?.[1]
      return number === undefined ? [] : [Number(number)]
    })
  const upTo = (last: number, first: number): number[] =>
    Array.from({ length: last - first + 1 }, (_, at) => first + at)

  const start = async (name: string, { command, port }: Pick<Collector, 'command' | 'port'>): Promise<void> => {
    running.add(name)
    // Not the process that nsenter waits for: that would stop together with it.
    const apart = `"$@" & echo $! > ${join(folder, name)}.process; wait`
    const kept = ['/bin/sh', '-c', apart, 'sh', ...command]
    void gateway.exec('internet', kept, { timeoutMs: 900_000 }).catch(() => {})
    await until(`${name} listens`, async () => {
      const { stdout } = await gateway.exec('internet', ['/usr/bin/ss', '-Hltn'])
      return stdout.includes(`${address}:${port} `)
    })
  }
  const signal = async (name: string, which: 'KILL' | 'STOP' | 'CONT'): Promise<void> => {
    const process = readFileSync(join(folder, `${name}.process`), 'utf8').trim()
    await gateway.exec('internet', ['/bin/kill', `-${which}`, process])
    if (which !== 'KILL') return
    // One that has not quite ended keeps its port and its file of the process from the next one.
    const isThere = async () => (await gateway.exec('internet', ['/bin/kill', '-0', process])).code === 0
    await until(`${name} is gone`, async () => !(await isThere()))
    running.delete(name)
  }
  const collector = (name: string, tls?: Awaited<ReturnType<typeof makeCertificate>>): Collector =>
    rsyslogCollector({ folder, name, address, port: ++lastPort, ...(tls ? { tls } : {}) })

  const switchOn = async (settings: object): Promise<void> => {
    await api.ok('PATCH', path, { host: address, protocol: 'tcp', format: 'syslog', ...settings })
    await api.ok('PATCH', `${path}/state`, { enabled: true })
  }
  const status = async (): Promise<string> => {
    const [item] = (await api.ok('GET', `${path}/status`)) as { status: string; msg: string[] }[]
    return `${item?.status}: ${item?.msg.join(' ')}`
  }
  const untilStatus = async (words: RegExp): Promise<void> => {
    let last = ''
    await until(`the status says ${words}`, async () => {
      last = await status()
      return words.test(last)
    }).catch(() => assert.fail(`the status said ${last}`))
  }
  const arrive = async ({ messages }: Collector, last: number): Promise<number[]> => {
    await until(`number ${last} arrives`, () => numbersOf(messages()).at(-1) === last)
    return numbersOf(messages())
  }
  const assertInOrder = (numbers: readonly number[], first: number, last: number): void => {
    assert.deepEqual([...new Set(numbers)], upTo(last, first))
  }

  it('reaches rsyslogd over TCP, with what administrators do', async () => {
    const one = collector('tcp')
    await start('tcp', one)
    await switchOn({ port: one.port })
    await untilStatus(/^active: Connected to the collector/)
    const first = written + 1
    write(1_000)
    assert.deepEqual(await arrive(one, written), upTo(written, first))
    const [line = ''] = one.messages().filter((message) => message.includes('forwarded number'))
    assert.match(
      line,
      /^<30>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}[+-]\d\d:\d\d \S+ \S+ - - - forwarded number \d+\.$/,
    )
    await api.ok('POST', '/aliases/zones', { title: 'seen by the collector' })
    await until('the change is there', () =>
      one.messages().some((message) => /^<1\d\d>1 .*-audit-backend - - - .*Add a zone/.test(message)),
    )
  })

  it('reaches rsyslogd over UDP, as CEF', async () => {
    const one = collector('udp')
    await start('udp', one)
    await switchOn({ port: one.port, protocol: 'udp', format: 'cef' })
    await untilStatus(/^active: Connected/)
    const first = written + 1
    write(200)
    assert.deepEqual(await arrive(one, written), upTo(written, first))
    const [line = ''] = one.messages().filter((message) => message.includes('forwarded number'))
    assert.match(
      line,
      /^<30>\S+ \S+ CEF:0\|portcullis\|gateway\|[^|]+\|0\|syslog\|2\|rt=\d{13} deviceReceiptTime=\d{13} Severity=Informational DeviceProcessName=\S+ msg=forwarded number \d+\.$/,
    )
  })

  it('reaches rsyslogd over TLS, and not one whose certificate is not trusted', async () => {
    const certificate = await makeCertificate(['collector.test'], new Date())
    const one = collector('tls', certificate)
    await start('tls', one)
    await api.ok('PATCH', path, { host: address, port: one.port, protocol: 'tcp', format: 'syslog' })
    await api.ok('PATCH', `${path}/tls`, { enabled: true, ca_certificate: null, server_name: 'collector.test' })
    await api.ok('PATCH', `${path}/state`, { enabled: true })
    await untilStatus(/^failed: The certificate of the collector .* is not trusted/)
    const first = written + 1
    write(500)
    await api.ok('PATCH', `${path}/tls`, { ca_certificate: certificate.chain })
    assert.deepEqual(await arrive(one, written), upTo(written, first))
    assert.deepEqual(await status().then((text) => text.split(':')[0]), 'active')
  })

  it('waits for a collector that is away, and loses nothing when it is killed while records come', async () => {
    const one = collector('killed')
    await switchOn({ port: one.port })
    await untilStatus(/^failed: The collector \S+ refuses connections/)
    const first = written + 1
    write(2_000)
    await untilStatus(/Records that wait: 2\d{3}; the oldest is \d+ s old\./)
    await start('killed', one)
    await arrive(one, written)
    for (let round = 1; round <= 10; round++) {
      write(2_000)
      if (round !== 4) continue
      await until('some have come', () => numbersOf(one.messages()).length > 4_000)
      await signal('killed', 'KILL')
      await start('killed', one)
    }
    const numbers = await arrive(one, written)
    assertInOrder(numbers, first, written)
    assert.ok(numbers.length <= 2 * (written - first + 1), 'nothing comes more than twice')
  })

  it('is held up by a collector that does not read, and holds nothing up', async () => {
    const one = collector('hung')
    await start('hung', one)
    await switchOn({ port: one.port })
    await untilStatus(/^active/)
    const first = written + 1
    write(1_000)
    await arrive(one, written)
    await signal('hung', 'STOP')
    write(50_000)
    await untilStatus(/^failed: The collector \S+ does not read what it is sent\..*Records that wait: \d+/)
    await api.ok('POST', '/aliases/zones', { title: 'nothing is held up' })
    await signal('hung', 'CONT')
    assert.deepEqual(await arrive(one, written), upTo(written, first))
  })

  it('goes on where it was when gatewayd is killed', async () => {
    const one = collector('crash')
    await start('crash', one)
    await switchOn({ port: one.port })
    await untilStatus(/^active/)
    const first = written + 1
    write(5_000)
    await until('some have come', () => numbersOf(one.messages()).length > 1_000)
    await gateway.killGatewayd()
    write(5_000)
    assertInOrder(await arrive(one, written), first, written)
  })

  it('goes to another collector, in another form, without a restart', async () => {
    const [one, other] = [collector('first'), collector('second')]
    await start('first', one)
    await start('second', other)
    await switchOn({ port: one.port })
    await untilStatus(/^active/)
    const first = written + 1
    write(3_000)
    await until('some have come', () => numbersOf(one.messages()).length > 0)
    await api.ok('PATCH', path, { port: other.port, format: 'cef' })
    write(3_000)
    const later = await arrive(other, written)
    assertInOrder([...numbersOf(one.messages()), ...later], first, written)
    assert.ok(gateway.pids().gatewayd > 0)
  })

  it('is octet-counted on a plain socket, byte by byte', async () => {
    const port = ++lastPort
    const file = join(folder, 'plain.bytes')
    writeFileSync(file, '')
    const script = `require('net').createServer((s)=>s.on('data',(d)=>require('fs').appendFileSync(${JSON.stringify(file)},d)).on('error',()=>{})).listen(${port},'${address}')`
    await start('plain', { port, command: [process.execPath, '-e', script] })
    await switchOn({ port })
    await untilStatus(/^active/)
    const first = written + 1
    write(300)
    await until('all arrive', () => readFileSync(file).includes(`forwarded number ${written}.`))
    const messages: string[] = []
    for (let rest = readFileSync(file); rest.length > 0; ) {
      const space = rest.indexOf(' ')
      const length = Number(rest.subarray(0, space))
      assert.ok(length > 0 && rest.length >= space + 1 + length, 'every message has its length before it')
      messages.push(rest.subarray(space + 1, space + 1 + length).toString())
      rest = rest.subarray(space + 1 + length)
    }
    assert.deepEqual(numbersOf(messages), upTo(written, first))
  })
})
