// The questions are worth asking: many find something, and many leave something out.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logViews } from '../../src/gatewayd/logs/log-views.ts'
import { Random, seed } from '../security/random.ts'
import { compareStores, drawQuestion, drawRecords, patientAsker, questionViews } from './log-store-questions.ts'
import { NaiveLogStore } from './naive-log-store.ts'

test('random questions about random records find some of them', async () => {
  const random = new Random(seed)
  const views = { ...logViews, ...questionViews }
  const store = new NaiveLogStore(views)
  store.append(drawRecords(random, 300))
  let [some, none, every] = [0, 0, 0]
  for (let at = 0; at < 400; at++) {
    const question = drawQuestion(random, views)
    const { total } = await store.find(question)
    const { total: all } = await store.find({ ...question, where: { kind: 'all', of: [] } })
    if (total === 0) none++
    else if (total === all) every++
    else some++
  }
  assert.ok(some > 100 && none > 20 && every > 20, `${some} found some, ${none} none, ${every} all`)
  await compareStores(random, { store, naive: store, views, questions: 20 })
  assert.equal(patientAsker.signal.aborted, false)
})
