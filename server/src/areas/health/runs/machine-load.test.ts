// Numbers of the machine from the files of the kernel, as recorded, and from the machine of the test.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createClockProbe } from './clock-sync.ts'
import { createLoadReader, parseCpu, parseInterfaces, parseLoad, parseMemory } from './machine-load.ts'

const stat = `cpu  100 20 30 1000 50 5 6 7 99 9
cpu0 50 10 15 500 25 2 3 3 0 0
intr 12345
`
const meminfo = `MemTotal:       16384 kB
MemFree:         1024 kB
MemAvailable:    8192 kB
SwapTotal:       2048 kB
SwapFree:        1024 kB
`
const dev = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 65736658339 8039304    0 1882    0     0          0         0 65736658339 8039304    0    0    0     0       0          0
  lan0: 1000 10 0 1 0 0 0 0 2000 20 0 2 0 0 0 0
wan:0.7:5 1 0 0 0 0 0 0 6 2 0 0 0 0 0 0
`

describe('numbers of the machine', () => {
  it('count guests once, and waiting as idle', () => {
    assert.deepEqual(parseCpu(stat), { busy: 168, total: 1218 })
    assert.equal(parseCpu('intr 1\n'), null)
  })

  it('give memory in bytes', () => {
    assert.deepEqual(parseMemory(meminfo), {
      totalBytes: 16_777_216,
      availableBytes: 8_388_608,
      swapTotalBytes: 2_097_152,
      swapFreeBytes: 1_048_576,
    })
    assert.equal(parseMemory(''), null)
  })

  it('give the load', () => {
    assert.deepEqual(parseLoad('0.52 0.58 0.59 2/1234 5678\n'), [0.52, 0.58, 0.59])
    assert.equal(parseLoad(''), null)
  })

  it('list interfaces but the loopback, whatever they are called', () => {
    assert.deepEqual(parseInterfaces(dev), [
      { name: 'lan0', bytesIn: 1000, packetsIn: 10, droppedIn: 1, bytesOut: 2000, packetsOut: 20, droppedOut: 2 },
      { name: 'wan:0.7', bytesIn: 5, packetsIn: 1, droppedIn: 0, bytesOut: 6, packetsOut: 2, droppedOut: 0 },
    ])
    assert.deepEqual(parseInterfaces(''), [])
  })

  it('are read from this machine', () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-load-'))
    try {
      writeFileSync(join(folder, 'a.db'), '12345')
      writeFileSync(join(folder, 'a.db-wal'), '123')
      const load = createLoadReader({ folder, files: ['a.db', 'b.db'], isClockKept: createClockProbe() })()
      assert.ok(load.cpu && load.cpu.total > load.cpu.busy)
      assert.ok(load.memory && load.memory.availableBytes <= load.memory.totalBytes)
      assert.ok(load.disk && load.disk.freeBytes <= load.disk.totalBytes)
      assert.deepEqual(load.files, { 'a.db': 8, 'b.db': 0 })
      assert.equal(typeof load.isClockKept, 'boolean')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
