// The reader of the firewall log as applyd would start it, with real packets in a separate namespace.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { lacking, unlessComplete } from '../../../../test/support/requires.ts'
import { until } from '../../../../test/support/until.ts'
import { productionTables } from '../../../applyd/production.ts'
import { unitCommandLine } from '../../../applyd/units.ts'
import { logRules, settings } from '../../../areas/firewall/config.ts'
import type { LogRule } from '../../../areas/firewall/contract-rules.ts'
import { render } from '../../../areas/firewall-log/render.ts'
import { addItem } from '../../../core/model/list-edits.ts'
import { write } from '../../../core/model/slots.ts'
import { readHitLine } from '../../../gatewayd/logs/sources/hit-line.ts'
import { findUnit } from '../../kit/tables.ts'

const canList = spawnSync('/usr/bin/unshare', ['--net', '--', '/usr/sbin/nft', 'list', 'tables']).status === 0
const reasonToSkip = canList ? lacking('/usr/sbin/ulogd') : unlessComplete('network namespaces and nft need root')

const rules = `table inet portcullis {
  chain output {
    type filter hook output priority filter;
    udp dport 9000 log group 5 prefix "FWD 12 drop "
    udp dport 9001 log group 6 prefix "FWD 13 drop "
    icmp type echo-request log group 5 prefix "INP 7 accept "
  }
}
`

const config = addItem(write({}, settings, { ...settings.initial, log_mode: 'all' }), logRules, {
  id: 1,
  enabled: true,
  action: 'mark_log',
} as LogRule)

describe('the reader of the firewall log', { skip: reasonToSkip }, () => {
  let folder = ''
  let reader: ChildProcess
  let holder: ChildProcess
  let enter: string[] = []
  const tables = productionTables('/state', { uid: 65_534, gid: 65_534 }, 'host')
  const unit = findUnit(tables, 'firewall-log') ?? assert.fail('there is no unit firewall-log')
  const outputPath = () => join(folder, 'firewall.json')

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-reader-'))
    assert.equal(spawnSync('/usr/bin/mount', ['-t', 'tmpfs', '-o', 'size=128k', 'portcullis-test', folder]).status, 0)
    const [file] = render(config)
    assert.ok(file?.kind === 'file')
    writeFileSync(join(folder, file.name), file.text, { mode: 0o600 })
    holder = spawn('/usr/bin/unshare', ['--net', '--', '/usr/bin/cat'])
    holder.stdin?.write('ready')
    await new Promise((resolve) => holder.stdout?.once('data', resolve))
    enter = [`--net=/proc/${holder.pid}/ns/net`, '--']
    inside('/sbin/ip', 'link', 'set', 'lo', 'up')
    assert.equal(spawnSync('/usr/bin/nsenter', [...enter, '/usr/sbin/nft', '-f', '-'], { input: rules }).status, 0)
    const command = unitCommandLine(unit, (name) => join(folder, name))
    const stdio = ['ignore', openSync(outputPath(), 'a', 0o640), openSync(join(folder, 'log'), 'a')] as const
    reader = spawn('/usr/bin/nsenter', [...enter, ...command], { stdio: [...stdio] })
    await until('it has opened its output', () => isReading(reader.pid ?? 0))
  })
  after(() => {
    reader.kill('SIGKILL')
    holder.kill('SIGKILL')
    spawnSync('/usr/bin/umount', ['-l', folder])
    rmSync(folder, { recursive: true, force: true })
  })

  const inside = (...command: string[]) =>
    spawnSync('/usr/bin/nsenter', [...enter, ...command], { encoding: 'utf8', timeout: 10_000 })
  /** It has dropped root, which it does after everything is open. */
  const isReading = (pid: number): boolean => {
    assert.equal(reader.exitCode, null, readFileSync(join(folder, 'log'), 'utf8'))
    return /^CapEff:\s+0+$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  }
  const sendUdp = (port: number, count = 1) => {
    const code = `const s = require('dgram').createSocket('udp4'); let left = ${count}
      const send = () => s.send('?', ${port}, '127.0.0.1', () => (--left > 0 ? send() : s.close())); send()`
    assert.equal(inside(process.execPath, '-e', code).status, 0)
  }
  const hits = () =>
    readFileSync(outputPath(), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => readHitLine(line, 0))

  it('runs without root once it is set up', () => {
    assert.doesNotMatch(readFileSync(`/proc/${reader.pid}/status`, 'utf8'), /^Uid:\s+0\s/m)
  })

  it('writes a record of every packet a rule logs to our group, which reads as ours', async () => {
    sendUdp(9001)
    sendUdp(9000)
    await until('the record is there', () => hits().length > 0)
    const [hit, ...others] = hits()
    assert.deepEqual(others, [])
    assert.deepEqual(
      { ...hit?.hit, sourcePort: 0, time: 0 },
      {
        time: 0,
        table: 'FWD',
        rule: '12',
        action: 'drop',
        protocol: 'UDP',
        source: '127.0.0.1',
        sourcePort: 0,
        destination: '127.0.0.1',
        destinationPort: 9000,
        input: '',
        output: 'lo',
        length: 29,
      },
    )
    assert.equal(hit?.sequence, 0)
  })

  it('continues at the beginning when its output is emptied', async () => {
    truncateSync(outputPath())
    sendUdp(9000)
    await until('the record is there', () => statSync(outputPath()).size > 0)
    await until('it is whole', () => hits()[0]?.hit?.rule === '12')
    assert.equal(hits()[0]?.sequence, 1)
  })

  it('goes on after a full disk, and what it could not write whole is not a record', async () => {
    const known = (): number => hits().filter(({ hit }) => hit !== null).length
    const filler = join(folder, 'filler')
    const fill = (): void => assert.throws(() => appendFileSync(filler, Buffer.alloc(131_072, 1)), { code: 'ENOSPC' })
    fill()
    // More than what is left of the last block of its file.
    sendUdp(9000, 20)
    await until('nothing fits any more', () => statSync(outputPath()).size % 4096 === 0)
    const before = known()
    sendUdp(9000, 3)
    assert.equal(known(), before)
    rmSync(filler)
    await until('packets are recorded again', () => {
      sendUdp(9000, 3)
      return known() >= before + 2
    })
    assert.equal(reader.exitCode, null)
    for (const { hit } of hits()) if (hit) assert.deepEqual([hit.rule, hit.destinationPort], ['12', 9000])
  })
})
