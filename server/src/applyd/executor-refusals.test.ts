// What is refused before anything is changed: by the checkers of the engines, and by applyd itself.
// Requirement 52.

import assert from 'node:assert/strict'
import { chain, createScenarios, dnsText, file, fullPlan, nft, piecesOf, planOf, unit } from './stand-ins/harness.ts'

const { scenario, run } = createScenarios('refusals')
const stand = (text: string) => [file('stand.conf', `${text}\n`), unit('stand')]

scenario('a refusal of nft names the object of each rule and changes nothing', async (scene) => {
  await scene.apply(fullPlan(1, 'a', scene.bench.dnsPort))
  const before = scene.everything()
  const wrong = [
    'tcp dport 99999 accept comment "firewall.forward.7"',
    'ip saddr 1.2.3.4/55 drop comment "firewall.forward.8"',
  ]
  const plan = { ...fullPlan(2, 'b', scene.bench.dnsPort), artifacts: [nft(piecesOf('b', ...wrong))] }
  const report = await scene.check(plan)
  assert.deepEqual(
    report.problems.map((problem) => problem.field),
    ['firewall.forward.7', 'firewall.forward.8'],
  )
  assert.equal(report.problems[0]?.message, 'Service out of range')
  assert.deepEqual(scene.everything(), before)
  const outcome = await scene.apply(plan)
  assert.deepEqual(outcome, { status: 'put_back', problems: report.problems, restored: true })
  assert.deepEqual(scene.everything(), before)
})

scenario('every checker is asked, and all refusals are answered at once', async (scene) => {
  const report = await scene.check(
    planOf(
      1,
      nft([chain('x', ['jump nowhere comment "firewall.jump"'])]),
      file('dns.conf', `${dnsText(scene.bench.dnsPort)}address=//\ncache-size=none\n`),
      unit('dns'),
      ...stand('bad'),
    ),
  )
  assert.deepEqual(
    report.problems.map((problem) => problem.field),
    ['firewall.jump', 'dns', 'stand'],
  )
  assert.match(report.problems[1]?.message ?? '', /^dnsmasq: bad option at line \d of dns\.conf|^dnsmasq: .*dns\.conf/)
  assert.equal(report.problems[2]?.message, 'stand.conf: line 1: bad word')
  assert.equal(JSON.stringify(report).includes(scene.bench.root), false)
})

scenario('a checker that is not installed is reported', async (scene) => {
  await scene.applyd?.close()
  const tables = scene.bench.tables({ check: { program: '/nowhere/check', args: [] } })
  await scene.start({ tables })
  const report = await scene.check(planOf(1, ...stand('well')))
  assert.deepEqual(report, {
    problems: [],
    unchecked: [{ artifact: 'unit stand', reason: '/nowhere/check is not installed.' }],
  })
})

scenario('directives the engine would accept are refused, and its checker never sees the file', async (scene) => {
  const dangerous = [
    'conf-file=/etc/passwd',
    'dhcp-script=/bin/sh',
    'log-facility=/tmp/x',
    'enable-tftp',
    'conf-dir=/tmp',
  ]
  for (const line of dangerous) {
    const text = dnsText(scene.bench.dnsPort, `${line}\n`)
    const { problems } = await scene.check(planOf(1, file('dns.conf', text), unit('dns')))
    assert.deepEqual(problems, [{ field: 'dns.conf', message: `The line "${line}" is not allowed in dns.conf.` }])
  }
})

scenario('a unit without its file is refused', async (scene) => {
  const { problems } = await scene.check(planOf(1, unit('dns')))
  assert.deepEqual(problems, [{ field: 'dns', message: 'dns needs dns.conf, which is not part of the plan.' }])
})

scenario('control characters in a file are refused', async (scene) => {
  for (const character of ['\r', '\0', '\x1b', '\x85', '\u2028', '\x7f'])
    assert.equal((await scene.check(planOf(1, ...stand(`well${character}x`)))).problems.length, 1)
})

run()
