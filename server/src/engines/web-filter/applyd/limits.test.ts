// Requirement 35.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proxyShare } from '../index.ts'
import { proxyMemory } from './index.ts'
import { bufferKilobytes } from './settings.ts'

test('all connections of one address, each with a full buffer, fit into the memory of the proxy', () => {
  const [base, one] = [192, bufferKilobytes / 1024 + 0.25]
  assert.ok(base + proxyShare * one < proxyMemory / (1024 * 1024))
})
