// Secrets of files: sealed everywhere but on the way to applyd.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { EngineFile, Plan } from '../../core/plan/artifacts.ts'
import { markOf } from '../../core/plan/sealed.ts'
import { diffArtifacts } from '../../core/plan/text-diff.ts'
import { quote } from '../../engines/snmp/snmp.ts'
import { createSecretFiller } from './secrets.ts'

const mark = (sealed: string) => markOf({ form: 'snmp', place: 'monitor.snmp_settings//community', sealed })
const file = (text: string): EngineFile => ({ kind: 'file', name: 'snmpd.conf', text })
const planOf = (...artifacts: EngineFile[]): Plan => ({ revision: 1, artifacts })
const textOf = (plan: Plan): string => (plan.artifacts[0]?.kind === 'file' ? plan.artifacts[0].text : '')

describe('secrets of a plan', () => {
  const reported: string[] = []
  const fill = createSecretFiller({
    reveal: (sealed, place) => {
      if (sealed !== 'v1.1.a.b') throw new Error('the key is not in the key file')
      return `open "${place}"`
    },
    printers: { snmp: quote, pem: (text) => text },
    log: (_, message) => reported.push(message),
  })

  it('are written as the language of the file quotes them', () => {
    const plan = planOf(file(`community ${mark('v1.1.a.b')}\nnext\n`))
    assert.equal(textOf(fill(plan)), 'community "open \\"monitor.snmp_settings//community\\""\nnext\n')
  })

  it('leave a plan without secrets as it is, and the same file the same object', () => {
    const plan = planOf(file('nothing sealed\n'))
    assert.equal(fill(plan), plan)
    const sealed = file(mark('v1.1.a.b'))
    assert.equal(fill(planOf(sealed)).artifacts[0], fill(planOf(sealed)).artifacts[0])
  })

  it('that cannot be opened become ones that no one knows, without stopping the rest', () => {
    const [one, other] = [textOf(fill(planOf(file(mark('v1.9.x.y'))))), textOf(fill(planOf(file(mark('v1.9.z.y')))))]
    assert.match(one, /^"[0-9a-f]{64}"$/)
    assert.notEqual(one, other)
    assert.equal(reported.length, 2)
  })

  it('are not shown in dry runs, where a new one still is a change', () => {
    const [change] = diffArtifacts([file(`a ${mark('v1.1.a.b')}\n`)], [file(`a ${mark('v1.1.c.d')}\nb\n`)])
    assert.equal(change?.action, 'changed')
    assert.deepEqual(change?.added_lines, ['b'])
    assert.equal(diffArtifacts([file(mark('v1.1.a.b'))], [file(mark('v1.1.c.d'))]).length, 1)
  })

  it('cannot be marked by anything but a place and a sealed value', () => {
    assert.throws(() => markOf({ form: 'snmp', place: 'a b', sealed: 'v1.1.a.b' }))
    assert.throws(() => markOf({ form: 'snmp', place: 'a', sealed: 'v1\u0003' }))
  })
})
