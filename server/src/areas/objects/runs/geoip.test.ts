// The reader of country databases: every record size, real shapes of data, and files that are damaged or made to harm.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { testNetworks, writeDatabase } from '../../../../test/support/mmdb-writer.ts'
import { assertGrowsWithSize } from '../../../../test/support/work.ts'
import { parseSpan } from '../../../shared/net/ipv4.ts'
import { createCountryFile, readCountries } from './geoip.ts'

const seed = Number(process.env.PORTCULLIS_SEED ?? 20_260_101)
const fixture = join(import.meta.dirname, '..', '..', '..', '..', 'test', 'fixtures', 'geoip-test.mmdb')

const networksIn = (file: Buffer) => Object.fromEntries(readCountries(file).networks)
const expected = Object.fromEntries(
  testNetworks.map(([network, code]) => [code, [network]] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
)

describe('a country database', () => {
  for (const recordBits of [24, 28, 32] as const) {
    for (const ipVersion of [4, 6] as const) {
      it(`of IPv${ipVersion} with records of ${recordBits} bits gives its networks`, () => {
        assert.deepEqual(networksIn(writeDatabase(testNetworks, { recordBits, ipVersion })), expected)
      })
    }
  }

  it('of the tests is what the writer makes, with the time it was built', () => {
    const file = readFileSync(fixture)
    assert.ok(file.equals(writeDatabase(testNetworks)), 'make it again: node server/test/support/mmdb-writer.ts')
    assert.equal(readCountries(file).buildTime, 1_767_225_600)
  })

  it('merges neighbours and cuts wider networks around narrower ones', () => {
    const file = writeDatabase([
      ['10.0.0.0/9', 'DE'],
      ['10.128.0.0/9', 'DE'],
      ['20.0.0.0/30', 'FR'],
      ['20.0.0.1/32', 'US'],
    ])
    assert.deepEqual(networksIn(file), {
      DE: ['10.0.0.0/8'],
      FR: ['20.0.0.0', '20.0.0.2/31'],
      US: ['20.0.0.1'],
    })
  })

  it('falls back to the country a network is registered in', () => {
    assert.deepEqual(networksIn(writeDatabase([['192.0.2.0/24', 'US']], { field: 'registered_country' })), {
      US: ['192.0.2.0/24'],
    })
  })

  it('passes over codes that are no codes', () => {
    const file = writeDatabase([
      ['192.0.2.0/24', 'us'],
      ['198.51.100.0/24', '"};'],
      ['203.0.113.0/24', 'FR'],
    ])
    assert.deepEqual(networksIn(file), { FR: ['203.0.113.0/24'] })
  })

  it('may hold every address of one country', () => {
    const halves = [
      ['0.0.0.0/1', 'DE'],
      ['128.0.0.0/1', 'DE'],
    ] as const
    assert.deepEqual(networksIn(writeDatabase(halves, { ipVersion: 4 })), { DE: ['0.0.0.0/0'] })
  })

  it('gives back any set of networks exactly', () => {
    const network = fc
      .tuple(
        fc.integer({ min: 0, max: 0xffff_ffff }),
        fc.integer({ min: 1, max: 32 }),
        fc.constantFrom('DE', 'FR', 'US'),
      )
      .map(([value, prefix, code]) => {
        const size = 2 ** (32 - prefix)
        const low = Math.floor(value / size) * size
        const address = [low >>> 24, (low >>> 16) & 255, (low >>> 8) & 255, low & 255].join('.')
        return [`${address}/${prefix}`, code] as const
      })
    const probe = fc.integer({ min: 0, max: 0xffff_ffff })
    fc.assert(
      fc.property(fc.array(network, { minLength: 1, maxLength: 30 }), fc.array(probe), (networks, probes) => {
        const { networks: found } = readCountries(writeDatabase(networks))
        const edges = networks
          .flatMap(([text]) => parseSpan(text) ?? [])
          .flatMap((value) => [value, value - 1, value + 1])
        for (const value of [...probes, ...edges]) {
          const isIn = (text: string): boolean => {
            const [low, high] = parseSpan(text) ?? [1, 0]
            return low <= value && value <= high
          }
          const wanted = networks.findLast(([text]) => isIn(text))?.[1]
          const actual = [...found].filter(([, texts]) => texts.some(isIn)).map(([code]) => code)
          assert.deepEqual(actual, wanted === undefined ? [] : [wanted])
        }
      }),
      { seed, numRuns: 200 },
    )
  })

  it('of 300,000 networks is read with work that grows with their number', () => {
    const codes = ['DE', 'FR', 'US', 'JP', 'BR']
    const networks = Array.from({ length: 300_000 }, (_, index) => {
      const low = index * 8192
      const address = [low >>> 24, (low >>> 16) & 255, (low >>> 8) & 255, 0].join('.')
      return [`${address}/${20 + (index % 5)}`, codes[(index * 7) % 5] ?? 'DE'] as const
    })
    assertGrowsWithSize(networks.length, (size) => {
      const file = writeDatabase(networks.slice(0, size), { recordBits: 28 })
      return () => assert.equal(readCountries(file).networks.size, 5)
    })
  })
})

describe('a file that is not a good country database', () => {
  /** A clear error and nothing else, soon. */
  const refusedOrRead = (file: Buffer): void => {
    try {
      readCountries(file)
    } catch (error) {
      assert.match(
        (error as Error).message,
        /^(The country database is damaged|The file is not a country database|Only version 2)/,
      )
    }
  }

  it('is refused with a sentence', () => {
    for (const file of [Buffer.alloc(0), Buffer.from('hello'), Buffer.alloc(1_000_000)]) {
      assert.throws(() => readCountries(file), /not a country database/)
    }
  })

  it('does no harm wherever it is cut off', () => {
    const file = writeDatabase(testNetworks, { ipVersion: 4 })
    for (let length = 0; length < file.length; length++) {
      refusedOrRead(file.subarray(0, length))
      refusedOrRead(file.subarray(length))
    }
  })

  it('does no harm with any byte changed', () => {
    const file = writeDatabase(testNetworks, { ipVersion: 4, recordBits: 28 })
    for (let at = 0; at < file.length; at++) {
      for (const value of [0, 1, 0x20, 0x7f, 0xe0, 0xff]) {
        const copy = Buffer.from(file)
        copy[at] = value
        refusedOrRead(copy)
      }
    }
  })

  it('does no harm with random bytes in place of tree or data', () => {
    const file = writeDatabase(testNetworks)
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 400 }), fc.nat(file.length - 1), (bytes, at) => {
        const copy = Buffer.from(file)
        copy.set(bytes.subarray(0, copy.length - at), at)
        refusedOrRead(copy)
        refusedOrRead(Buffer.from(bytes))
      }),
      { seed, numRuns: 3_000 },
    )
  })

  it('costs little when its data claim to hold millions of items', () => {
    const file = writeDatabase(testNetworks, { ipVersion: 4, recordBits: 32 })
    const nodeCount = [...readNodes(file)].length
    for (let at = 0; at < nodeCount * 8; at += 4) {
      if (file.readUInt32BE(at) > nodeCount) file.writeUInt32BE(nodeCount + 16, at)
    }
    const metadata = file.subarray(file.lastIndexOf(Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')))
    const array = [0x1f, 4, 0xff, 0xff, 0xff]
    const map = [0xff, 0xff, 0xff, 0xff]
    for (const head of [array, map]) {
      const data = Buffer.concat(Array(1_000).fill(Buffer.from(head)))
      refusedOrRead(Buffer.concat([file.subarray(0, nodeCount * 8 + 16), data, metadata]))
    }
  })

  it('whose nodes lead to each other in circles is refused', () => {
    const file = writeDatabase(testNetworks, { ipVersion: 4, recordBits: 32 })
    const nodeCount = [...readNodes(file)].length
    for (let node = 0; node < nodeCount; node++) {
      file.writeUInt32BE((node + 1) % nodeCount, node * 8)
      file.writeUInt32BE((node + 1) % nodeCount, node * 8 + 4)
    }
    assert.throws(() => readCountries(file), /its tree has loops/)
  })
})

/** Nodes of a tree with 32-bit records: everything before the 16 zero bytes. */
function* readNodes(file: Buffer): Generator<number> {
  const gap = file.indexOf(Buffer.alloc(16))
  for (let at = 0; at + 8 <= gap; at += 8) yield at / 8
}

describe('the file of the operator', () => {
  it('is read when it is there and whenever it is another one, and a bad one leaves the last in use', () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-geoip-'))
    const path = join(folder, 'geoip.mmdb')
    const told: string[][] = []
    const file = createCountryFile(path, (networks) => told.push([...networks.keys()]))
    const put = (content: Buffer, second: number): void => {
      writeFileSync(path, content)
      utimesSync(path, second, second)
      file.refresh()
    }
    file.refresh()
    assert.equal(file.status().loaded, false)
    assert.match(file.status().messages[0] ?? '', /There is no country database/)

    put(writeDatabase([['192.0.2.0/24', 'US']]), 1)
    file.refresh()
    assert.deepEqual(told, [[], ['US']])
    assert.deepEqual(file.status(), { loaded: true, path, countries: 1, buildTime: 1_767_225_600, messages: [] })

    put(Buffer.from('nonsense'), 2)
    assert.equal(file.status().loaded, true)
    assert.match(file.status().messages[0] ?? '', /not a country database/)
    put(writeDatabase(testNetworks), 3)
    assert.deepEqual(file.status().messages, [])
    assert.equal(file.status().countries, testNetworks.length)
    put(
      writeDatabase([
        ['192.0.2.0/24', 'US'],
        ['198.51.100.0/25', 'DE'],
      ]),
      4,
    )
    const codes = {
      '192.0.1.255': '',
      '192.0.2.0': 'US',
      '192.0.2.255': 'US',
      '192.0.3.0': '',
      '198.51.100.127': 'DE',
      '198.51.100.128': '',
      '255.255.255.255': '',
      '0.0.0.0': '',
      '2001:db8::1': '',
      nonsense: '',
    }
    for (const [address, code] of Object.entries(codes)) assert.equal(file.codeOf(address), code, address)

    rmSync(path)
    assert.equal(file.status().loaded, false, 'the state is that of the file now')
    assert.equal(file.codeOf('192.0.2.0'), '')
    assert.deepEqual(told.at(-1), [])
    rmSync(folder, { recursive: true })
  })
})
