// Which disks are offered, on a made-up machine.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { freeDisks } from './disks.ts'

describe('free disks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-disks-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const places = { blockFolder: join(folder, 'block'), mounts: join(folder, 'mounts'), swaps: join(folder, 'swaps') }

  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const disk = (name: string, files: Readonly<Record<string, string>> = {}): void => {
    for (const [path, text] of Object.entries({ size: '2000000\n', ro: '0\n', ...files })) {
      put(`block/${name}/${path}`, text)
    }
  }

  it('are absent where nothing can be read', async () => {
    assert.deepEqual(await freeDisks(places), [])
  })

  it('are whole, writable, with a medium, and used by nothing', async () => {
    disk('sda', { dev: '8:0\n', 'sda1/partition': '1\n' })
    disk('sdb', { dev: '8:16\n', 'device/model': 'Big  Disk\u0007  \n', 'device/wwid': 'naa.5000\n' })
    disk('sdc', { dev: '8:32\n', size: '0\n' })
    disk('sdd', { dev: '8:48\n', ro: '1\n' })
    disk('sde', { dev: '8:64\n', 'holders/dm-0': '' })
    disk('vda', { dev: '254:0\n' })
    disk('vdb', { dev: '254:16\n', serial: 'mail-1' })
    disk('vdc', { dev: '254:32\n' })
    disk('vdd', { dev: '254:48\n' })
    for (const name of ['loop0', 'ram0', 'zram0', 'dm-0', 'md0', 'sr0', 'nbd0']) disk(name, { dev: '7:0\n' })
    put('mounts', '22 27 0:21 / /proc rw - proc proc rw\n30 1 254:0 / / rw - ext4 /dev/vda rw\n')
    put('swaps', 'Filename Type Size Used Priority\n/dev/vdd partition 1 0 -2\n')
    const bytes = 1_024_000_000
    const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1)
    assert.deepEqual((await freeDisks(places)).sort(byId), [
      { id: 'mail-1', title: 'vdb, 1.0 GB', bytes },
      { id: 'naa.5000', title: 'Big Disk, sdb, 1.0 GB', bytes },
      { id: 'vdc', title: 'vdc, 1.0 GB', bytes },
    ])
  })
})
