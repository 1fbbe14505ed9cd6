// The inspection engine as applyd starts it: which settings and rules are refused, that rules come unchanged, that it is ended
// when it takes no packets, and what it says about signatures.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { productionTables } from '../../../applyd/production.ts'
import { faultsIn } from '../../kit/forms.ts'
import { findUnit } from '../../kit/tables.ts'
import { suricataSettings } from '../suricata-yaml.ts'
import { faultsIn as faultsOfSignatures } from './check.ts'
import { fixedSettings } from './settings.ts'
import { createQueueWatch, hungWords, readQueues } from './watch.ts'

const unit = findUnit(productionTables('/state', { uid: 70_000, gid: 70_000 }, 'host'), 'inspection') ?? assert.fail()

const places = { work: '/w', rulesFile: '/w/r', captures: '/c', commandSocket: '/s' }

describe('the settings of the inspection engine', () => {
  it('say which networks are ours, and nothing else', () => {
    const text = suricataSettings({ homeNetworks: ['192.0.2.0/24', '2001:db8::/32', '192.0.2.0/24', '0.0.0.0/0', 'x'] })
    assert.match(text, /^ {4}HOME_NET: "\[192\.0\.2\.0\/24,2001:db8::\/32,fc00::\/7,fe80::\/10\]"$/m)
    assert.deepEqual(faultsIn(unit, 'suricata.yaml', text), [])
    assert.deepEqual(faultsIn(unit, 'suricata.yaml', suricataSettings({ homeNetworks: [] })), [])
    const blocking = suricataSettings({ homeNetworks: [], isBlocking: true })
    assert.match(blocking, /^exception-policy: drop-packet$/m)
    assert.deepEqual(faultsIn(unit, 'suricata.yaml', blocking), [])
    assert.equal(faultsIn(unit, 'suricata.yaml', blocking.replace('drop-packet', 'bypass')).length, 1)
    const fixed = 'suricata.yaml' in unit.files ? fixedSettings(places) : ''
    assert.match(fixed, /^nfq: \{ mode: accept, fail-open: no,/m)
    assert.doesNotMatch(fixed, /^exception-policy:/m)
    const more = [
      'rule-files: [ /etc/shadow ]',
      '    X: "y"',
      'include: /tmp/x',
      'security: { lua: { allow-rules: yes } }',
    ]
    for (const line of more) {
      assert.equal(faultsIn(unit, 'suricata.yaml', `${text}${line}\n`).length, 1, line)
      assert.equal(faultsIn(unit, 'suricata.yaml', `${line}\n${text}`).length, 1, line)
    }
    for (const home of ['any', '[0.0.0.0/0]', '[192.0.2.0/24]" #', '[]', '!x'])
      assert.equal(faultsIn(unit, 'suricata.yaml', text.replace(/"\[.*\]"/, `"${home}"`)).length, 1, home)
  })

  it('the name of the rules is a SHA-256 and no path', () => {
    const nameOf = (rules: string) => faultsIn(unit, 'inspection-rules.json', `{"rules":"${rules}"}`)
    assert.deepEqual(nameOf('a'.repeat(64)), [])
    for (const rules of ['', '../x', 'A'.repeat(64), `${'a'.repeat(64)}","x":"`]) assert.equal(nameOf(rules).length, 1)
  })

  it('other networks need a start, other rules do not', () => {
    const wayOf = (files: readonly string[] | null) =>
      typeof unit.reload === 'function' ? unit.reload(files, () => null) : assert.fail()
    assert.equal(wayOf(['suricata.yaml', 'inspection-rules.json']), 'restart')
    assert.equal(wayOf(null), 'restart')
    const way = wayOf(['inspection-rules.json'])
    assert.ok(typeof way === 'object' && 'commands' in way && (way.timeoutMs ?? 0) > 300_000)
  })
})

describe('rules on their way into the engine', () => {
  const root = mkdtempSync(join(tmpdir(), 'portcullis-rules-'))
  after(() => rmSync(root, { recursive: true }))
  const [compiled, work] = ['compiled', 'work'].map((name) => join(root, name)) as [string, string]
  for (const folder of [compiled, work]) mkdirSync(folder)
  const name = (text: string) => createHash('sha256').update(text).digest('hex')
  const start = (rules: string, isBlocking = false) => {
    writeFileSync(join(root, 'rules.json'), `{"rules":"${rules}"}\n`)
    writeFileSync(join(root, 'suricata.yaml'), suricataSettings({ homeNetworks: [], isBlocking }))
    const places = [join(root, 'rules.json'), compiled, work, join(root, 'suricata.yaml'), '7004,7005']
    const script = join(import.meta.dirname, 'rules.pl')
    return spawnSync('/usr/bin/perl', [script, 'start', ...places, '--', '/bin/echo', 'on'], { encoding: 'utf8' })
  }
  const current = () =>
    existsSync(join(work, 'current.rules')) ? readFileSync(join(work, 'current.rules'), 'utf8') : null
  const rule = (options: string) => `alert tcp any any -> any any (msg:"a"; ${options} sid:1;)\n`
  const store = (text: string) => {
    writeFileSync(join(compiled, `${name(text)}.rules`), text)
    return name(text)
  }

  it('are copied when they are what the plan names', () => {
    const text = rule('content:"(lua: |3b| bypass\\; lua:x";') + rule('content:"bypass"; metadata:lua x;')
    const { status, stderr } = start(store(text))
    assert.deepEqual([status, stderr], [0, 'on\n'])
    assert.equal(current(), text)
    assert.equal(
      start(name(text), true).stderr,
      'on -q 7004 -q 7005\n',
      'queues of channels that block have their cost',
    )
  })

  it('are not when the file was changed, is a link or is not there, and what was there stays', () => {
    const before = current()
    const changed = store(rule('content:"1";'))
    writeFileSync(join(compiled, `${changed}.rules`), rule('content:"2";'))
    assert.match(start(changed).stderr, /^The rules were changed/)
    const linked = name('linked')
    symlinkSync(join(compiled, `${changed}.rules`), join(compiled, `${linked}.rules`))
    assert.match(start(linked).stderr, /^The rules cannot be read/)
    assert.match(start(name('absent')).stderr, /^The rules cannot be read/)
    assert.match(start('../../etc/passwd').stderr, /^The name of the rules is not valid/)
    mkdirSync(join(compiled, `${name('folder')}.rules`))
    assert.match(start(name('folder')).stderr, /^The rules are not in a regular file/)
    assert.equal(current(), before)
  })

  it('run no code, read no files and change no other traffic', () => {
    const options = [
      'lua:x.lua;',
      'LuaJIT:x;',
      ' lua :x;',
      'content:"a";lua:x;',
      '\tlua:x;',
      'dataset:set,x, save /tmp/x;',
      'datarep:x;',
      'filestore;',
      'filestore:both;',
      'nfq_set_mark:0x1/0x1;',
      'iprep:any,x,>,1;',
      'bypass;',
      'filemd5:/etc/passwd;',
      'content:"a"; \\\n lua:x;',
      'content:"\u0001";',
    ]
    for (const option of options)
      assert.match(start(store(rule(option))).stderr, /^Line \d of the rules is refused/, option)
    assert.match(start(store('alert tcp any any -> any any (lua:x; sid:1;)\n')).stderr, /The option lua is not allowed/)
  })
})

describe('an engine that holds its queue', () => {
  /** As the kernel writes it: number, owner, waiting, mode, range, dropped, dropped for the owner, sequence, 1. */
  const line = (queue: number, waiting: number, sequence: number) =>
    `${queue}  13830 ${waiting} 2 65531     0     0 ${sequence}  1`
  const scene = (pace = 1) => {
    const state = { text: '', ticks: 0, now: 10_000 }
    const [queues, patient] = [() => state.text, (milliseconds: number) => pace * milliseconds]
    const watch = createQueueWatch({ queues, ticks: () => state.ticks, now: () => state.now, patient })
    /** Half a second later. */
    const look = (text: string, ticks = 0) => {
      Object.assign(state, { text, ticks: state.ticks + ticks, now: state.now + 500 })
      return watch(1)
    }
    return { state, look }
  }

  it('is known by the columns of the kernel, and by its own queues only', () => {
    const text = ` 5000 1 9 2 65531 0 0 9 1\n ${line(7001, 3, 10)}\n`
    assert.deepEqual([...readQueues(text)], [[7001, { waiting: 3, taken: 7 }]])
    assert.deepEqual([...readQueues('')], [])
  })

  it('must end when packets wait and none was taken for a second', () => {
    const { look } = scene()
    assert.deepEqual([look(line(7000, 4, 10), 1), look(line(7000, 6, 12), 1)], [null, null])
    assert.equal(look(line(7000, 9, 15), 1), hungWords)
  })

  it('must end when it uses no time, though packets come and go', () => {
    const { look } = scene()
    assert.deepEqual([look(line(7000, 4096, 5000)), look(line(7000, 4096, 6000))], [null, null])
    assert.equal(look(line(7000, 4096, 7000)), hungWords)
  })

  it('may take longer for its first packet, as long as it uses time', () => {
    const busy = scene()
    // Nine and a half seconds.
    for (let round = 0; round < 20; round++) assert.equal(busy.look(line(7000, 4, 4), 1), null)
    assert.equal(busy.look(line(7000, 4, 4), 1), hungWords)
    const { look } = scene()
    assert.deepEqual([look(line(7000, 4, 4)), look(line(7000, 4, 4))], [null, null])
    assert.equal(look(line(7000, 4, 4)), hungWords)
  })

  it('has the time that a very slow machine needs, and no more', () => {
    const { look } = scene(20)
    const waits = () => look(line(7000, 4, 10), 1)
    // Nineteen and a half seconds.
    for (let round = 0; round < 40; round++) assert.equal(waits(), null)
    assert.equal(waits(), hungWords)
  })

  it('works while it takes packets, has none, or the whole machine stood still', () => {
    const { look, state } = scene()
    for (let sequence = 10; sequence < 20; sequence++) assert.equal(look(line(7000, 5, sequence), 1), null)
    for (let round = 0; round < 5; round++) assert.equal(look(line(7000, 0, 20)), null)
    look(line(7000, 5, 30))
    state.now += 5000
    assert.equal(look(line(7000, 5, 30)), null)
  })
})

describe('what the engine says about signatures', () => {
  it('is a reason for each line, without the signatures', () => {
    const output = [
      'refused line 9: The option lua is not allowed.',
      'i: suricata: This is Suricata version 7.0.10 RELEASE running in SYSTEM mode',
      "E: detect-parse: unknown rule keyword 'contentx'.",
      'E: detect: error parsing signature "alert tcp any any -> any any (msg:"bad"; contentx:"a"; sid:2;)" from file /x/check.rules at line 2',
      'E: detect-parse: Duplicate signature "alert tcp any any -> any any (msg:"dup"; sid:1;)"',
      'E: detect: error parsing signature "alert tcp any any -> any any (msg:"at line 3"; sid:1;)" from file /x/check.rules at line 7',
      'E: detect: error parsing signature "nonsense" from file /x/check.rules at line 8',
      'E: suricata: Loading signatures failed.',
    ].join('\n')
    assert.deepEqual(faultsOfSignatures(output), [
      { line: 2, message: "unknown rule keyword 'contentx'." },
      { line: 7, message: 'Duplicate signature.' },
      { line: 8, message: 'The signature cannot be read.' },
      { line: 9, message: 'The option lua is not allowed.' },
    ])
  })
})
