// Control groups in a folder that looks like that of the kernel. What they do with real processes is shown on a machine with
// its own kernel (test/machine/full-kernel.e2e.ts).

import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createControlGroups } from './control-groups.ts'

const gigabyte = 1024 ** 3

describe('control groups of engines', () => {
  let root: string
  let unit: string
  const warnings: string[] = []
  const log = (level: string, message: string): void => void (level === 'warning' && warnings.push(message))
  const textOf = (...path: string[]): string => readFileSync(join(unit, ...path), 'utf8')
  const create = (plane: 'host' | 'lab' = 'host', total = 8 * gigabyte) =>
    createControlGroups({ plane, log }, { root, total })

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'portcullis-groups-'))
    unit = join(root, 'system.slice/portcullis-groups.service')
    mkdirSync(unit, { recursive: true })
    writeFileSync(join(root, 'cgroup.controllers'), 'cpuset cpu io memory pids')
    writeFileSync(join(unit, 'cgroup.controllers'), 'cpu memory pids')
    writeFileSync(join(unit, 'cgroup.procs'), '500\n')
    warnings.length = 0
  })
  afterEach(() => rmSync(root, { recursive: true }))

  it('keep a quarter of the memory from all engines, and a fifth of the rest from each', () => {
    const groups = create()
    groups.place('dns', 611)
    assert.equal(groups.missing, null)
    assert.deepEqual(warnings, [])
    assert.equal(textOf('cgroup.subtree_control'), '+cpu +memory +pids')
    assert.equal(textOf('keeper', 'cgroup.procs'), '500')
    assert.equal(Number(textOf('engines', 'memory.max')), 6 * gigabyte)
    assert.equal(Number(textOf('engines', 'dns', 'memory.max')), Math.floor(4.8 * gigabyte))
    assert.equal(textOf('engines', 'dns', 'cgroup.procs'), '611')
  })

  it('leave half of a small machine to the rest', () => {
    create('host', 512 * 1024 * 1024)
    assert.equal(Number(textOf('engines', 'memory.max')), 256 * 1024 * 1024)
  })

  it('never leave their own folder, whatever a unit is called', () => {
    create().place('dhcp-client.../../x', 613)
    assert.equal(textOf('engines', 'dhcp-client..._.._x', 'cgroup.procs'), '613')
  })

  it('say why there are none, and change nothing', () => {
    assert.equal(create('lab').missing, null)
    writeFileSync(join(unit, 'cgroup.controllers'), 'cpu')
    assert.match(create().missing ?? '', /controllers memory, pids/)
    rmSync(unit, { recursive: true })
    assert.match(create().missing ?? '', /does not run/)
    rmSync(join(root, 'cgroup.controllers'))
    assert.match(create().missing ?? '', /version 2/)
    assert.ok(!existsSync(join(unit, 'engines')))
  })

  it('do not keep an engine from starting', () => {
    const groups = create()
    rmSync(join(unit, 'engines'), { recursive: true })
    writeFileSync(join(unit, 'engines'), '')
    groups.place('dns', 611)
    assert.deepEqual(warnings, ['dns has no separate limits of memory and processor time'])
  })
})
