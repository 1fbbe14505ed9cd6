// Makers of network cards from a file of the IEEE's form: found across pieces, followed when the file changes, and harmless
// whatever the file holds.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createCardVendors } from './card-vendors.ts'

const entry = (prefix: string, name: string): string =>
  `${prefix}   (hex)\t\t${name}\r\n${prefix.replaceAll('-', '')}     (base 16)\t\t${name}\r\n\t\t\t\tStreet 1\r\n\r\n`

describe('makers of network cards', () => {
  let folder = ''
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-vendors-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  const write = (name: string, text: string | Buffer, seconds = 1_700_000_000): string => {
    const path = join(folder, name)
    writeFileSync(path, text)
    utimesSync(path, seconds, seconds)
    return path
  }
  const nameOf = async (paths: string[], mac: string) => (await createCardVendors(paths).lookUp([mac])).get(mac)

  it('are found in a file longer than a piece, wherever they are', async () => {
    const many = Array.from({ length: 5_000 }, (_, at) =>
      entry(
        `A0-${(at >> 8).toString(16).padStart(2, '0')}-${(at & 255).toString(16).padStart(2, '0')}`.toUpperCase(),
        `Größe ${at}`,
      ),
    )
    const path = write('many.txt', `OUI/MA-L\t\tOrganization\r\n${many.join('')}`)
    const vendors = createCardVendors([join(folder, 'none.txt'), path])
    const macs = [0, 1, 255, 256, 2_499, 4_999].map(
      (at) => `a0:${(at >> 8).toString(16).padStart(2, '0')}:${(at & 255).toString(16).padStart(2, '0')}:00:00:01`,
    )
    const found = await vendors.lookUp([...macs, 'a1:00:00:00:00:01'])
    assert.deepEqual([...found.values()], ['Größe 0', 'Größe 1', 'Größe 255', 'Größe 256', 'Größe 2499', 'Größe 4999'])
    assert.equal(await vendors.isKnown(), true)
  })

  it('are not known without a file, nor where the registry only has smaller blocks', async () => {
    const vendors = createCardVendors([join(folder, 'none.txt')])
    assert.equal(await vendors.isKnown(), false)
    assert.deepEqual(await vendors.lookUp(['00:22:72:00:00:01']), new Map())
    const path = write('blocks.txt', entry('00-22-72', 'IEEE Registration Authority'))
    assert.equal(await nameOf([path], '00:22:72:00:00:01'), undefined)
  })

  it('follow a file that was replaced', async () => {
    const path = write('changing.txt', entry('00-22-72', 'Old'))
    const vendors = createCardVendors([path])
    const ask = async () => (await vendors.lookUp(['00:22:72:00:00:01'])).get('00:22:72:00:00:01')
    assert.equal(await ask(), 'Old')
    write('changing.txt', entry('00-22-72', 'New maker'), 1_700_000_001)
    assert.equal(await ask(), 'New maker')
  })

  it('are plain text of bounded length, whatever the file holds', async () => {
    const hostile = `Evil\u001b[2J\u2028"; drop {} ${'x'.repeat(500)}`
    const path = write('hostile.txt', `${'y'.repeat(200_000)}\n${entry('00-22-72', hostile)}`)
    const name = (await nameOf([path], '00:22:72:00:00:01')) ?? ''
    assert.match(name, /^Evil \[2J "; drop \{\} x+$/)
    assert.equal([...name].length, 100)
    const broken = write('broken.txt', Buffer.concat([Buffer.from('00-22-72   (hex)\t\t'), Buffer.alloc(300, 0xff)]))
    assert.equal(await nameOf([broken], '00:22:72:00:00:01'), undefined)
    assert.equal(await nameOf([write('empty.txt', '')], '00:22:72:00:00:01'), undefined)
  })
})
