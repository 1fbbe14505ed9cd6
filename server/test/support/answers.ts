// Assertions on answers: the request succeeded, or it was refused for this field.

import assert from 'node:assert/strict'
import type { Answer } from './test-gateway.ts'

export const ok = (answer: Answer): Answer => {
  assert.equal(answer.status, 200, answer.text)
  return answer
}

export function refused(answer: Answer, status: number, field?: string): void {
  assert.equal(answer.status, status, answer.text)
  if (field === undefined) return
  const fields = answer.body.problems.map((problem: { field: string }) => problem.field)
  assert.ok(fields.includes(field), `${field} is not among ${fields}`)
}
