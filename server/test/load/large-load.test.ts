// While the gateway loads a list of 100,000 networks that an administrator sent, those who ask get answers that are true: no status
// names another program, the conflicts of the machine are shown, and so is health.
// Requirements 69 and 76.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { ApiAnswer } from '../support/api-client.ts'
import { type Lab, reasonToSkip, startLab, statusOf } from './lab.ts'

const network = (at: number, last: number): string => `${32 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}.${last}/28`
const networks = (last: number): string[] => Array.from({ length: 100_000 }, (_, at) => network(at, last))

describe('a list of 100,000 networks', { skip: reasonToSkip() }, () => {
  let lab: Lab
  before(async () => {
    lab = await startLab()
  })
  after(() => lab?.close())

  const questions = ['/firewall/status', '/machine/conflicts', '/health'] as const
  type Question = (typeof questions)[number]

  /** All answers that came before the change was answered. */
  async function askDuring(change: () => Promise<void>): Promise<Record<Question, ApiAnswer[]>> {
    const answers: Record<Question, ApiAnswer[]> = { '/firewall/status': [], '/machine/conflicts': [], '/health': [] }
    let isDone = false
    const changing = change().finally(() => {
      isDone = true
    })
    const repeat = async (question: Question): Promise<void> => {
      while (!isDone) answers[question].push(await lab.api.call('GET', question))
    }
    await Promise.all([changing, ...questions.map(repeat)])
    return answers
  }

  const itemsOf = ({ body }: ApiAnswer): { name: string; status: string; msg: string[] }[] =>
    body.filter(({ name }: { name: string }) => name === 'rules-in-kernel')

  it('is added, changed and removed while the gateway answers, and never blames another program', async (t) => {
    let ruleId = 0
    const fields = (last: number): object => ({ title: 'many', comment: '', values: networks(last) })
    const { id } = await lab.api.ok('POST', '/aliases/ip_address_lists', fields(0))
    const rule = {
      enabled: true,
      action: 'drop',
      protocol: 'any',
      comment: 'many',
      destination_addresses: ['any'],
      source_addresses: [id],
    }
    const changes: Readonly<Record<string, () => Promise<void>>> = {
      'a rule uses it': async () => {
        ruleId = (await lab.api.ok('POST', '/firewall/rules/forward', rule)).id
      },
      'all of it is replaced': async () => {
        await lab.api.ok('PATCH', `/aliases/ip_address_lists/${id}`, fields(16))
      },
      'the rule is removed': async () => {
        await lab.api.ok('DELETE', `/firewall/rules/forward/${ruleId}`)
      },
    }
    const states = new Set<string>()
    for (const [what, change] of Object.entries(changes)) {
      const answers = await askDuring(change)
      const counts = questions.map((question) => `${question} ${answers[question].length}`)
      t.diagnostic(`${what}: ${counts.join(', ')}`)
      for (const question of questions)
        for (const { status, body } of answers[question])
          assert.equal(status, 200, `${what}: ${question}: ${JSON.stringify(body)}`)
      for (const item of answers['/firewall/status'].flatMap(itemsOf)) {
        states.add(item.status)
        assert.ok(item.status === 'active' || item.status === 'reloading', `${what}: ${JSON.stringify(item)}`)
      }
      assert.equal(await statusOf(lab.api, 'rules-in-kernel'), 'active')
    }
    assert.ok(states.has('reloading'), `no answer came while the list was loaded: ${[...states]}`)
  })
})
