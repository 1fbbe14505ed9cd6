import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InputFault, isPlainDevice, parseInput } from './input.ts'

const packet = {
  device: 'lan0',
  protocol: 'tcp',
  source: '10.10.0.2',
  sourcePort: 50_000,
  destination: '8.8.8.8',
  destinationPort: 443,
}

test('a whole input is read as it is', () => {
  const input = { script: 'table inet portcullis', packets: [packet] }
  assert.deepEqual(parseInput(JSON.stringify(input)), input)
})

const broken: readonly (readonly [string, unknown])[] = [
  ['no object', 7],
  ['no packets', { script: '' }],
  ['a script that is no text', { script: null, packets: [] }],
  ['packets that are no list', { script: '', packets: {} }],
  ['an unknown protocol', { script: '', packets: [{ ...packet, protocol: 'icmp' }] }],
  ['an address with syntax in it', { script: '', packets: [{ ...packet, source: '1.2.3.4 accept\nadd rule' }] }],
  ['an address of IPv6', { script: '', packets: [{ ...packet, destination: '::1' }] }],
  ['a port that is none', { script: '', packets: [{ ...packet, sourcePort: 65_536 }] }],
  ['a port as text', { script: '', packets: [{ ...packet, destinationPort: '80' }] }],
  ['an unknown key in a packet', { script: '', packets: [{ ...packet, mark: 1 }] }],
]
for (const [title, input] of broken)
  test(`${title} is refused`, () => {
    assert.throws(() => parseInput(JSON.stringify(input)), InputFault)
  })

test('text that is not JSON is refused', () => {
  assert.throws(() => parseInput('{'), InputFault)
})

test('a device name that means something to ip or nft is not plain', () => {
  assert.equal(isPlainDevice('eth0.100'), true)
  for (const name of ['', '~sign', 'a"b', 'a#b', "a'b", 'a b', 'x'.repeat(16)]) assert.equal(isPlainDevice(name), false)
})
