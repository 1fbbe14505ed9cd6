// The unit files for a machine that is itself the gateway, judged by systemd.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { lacking } from '../../test/support/requires.ts'
import { appRoot } from './layout.ts'
import { runTool } from './tools.ts'

const limits = { 'portcullis-gatewayd.service': 1.5, 'portcullis-applyd.service': 2.5 }

describe('the exposure of the services', {
  skip: lacking('/usr/bin/systemd-analyze'),
}, () => {
  for (const [name, limit] of Object.entries(limits))
    test(`${name} is at most ${limit}`, () => {
      const report = runTool('systemd-analyze', ['security', '--offline=true', join(appRoot, 'deploy/systemd', name)])
      const score = Number(/Overall exposure level for .*: ([\d.]+)/.exec(report)?.[1])
      assert.ok(score <= limit, `the exposure is ${score}`)
    })
})
