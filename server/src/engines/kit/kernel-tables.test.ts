import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { listTables, tablesIn } from './kernel-tables.ts'

const inRoom = (script: string, ...question: readonly string[]) =>
  spawnSync('/usr/bin/unshare', ['--net', '--', '/usr/bin/perl', '-e', perl, '--', ...question], { input: script })

/** Loads what comes in, then becomes nft with the question. */
const perl =
  'open(my $nft, "|-", "/usr/sbin/nft", "-f", "-"); print $nft <STDIN>; close $nft; exec "/usr/sbin/nft", @ARGV'

const script = [
  'table inet portcullis {\n set s {\n type ipv4_addr; elements = { 192.0.2.1 }\n }\n chain c {\n }\n}\n',
  'table ip6 nothing\ntable ip portcullis_boot {\n chain inner {\n counter\n }\n}\ntable netdev hardware\n',
].join('')
const expected = ['inet portcullis', 'ip portcullis_boot', 'ip6 nothing', 'netdev hardware']

describe('the tables of the kernel', () => {
  it('are those of a listing, whatever is in them', () => {
    const listing =
      'table inet a {\n\tflowtable table ip x {\n\t\thook ingress priority 0\n\t}\n}\ntable ip odd name {\n}\n'
    assert.deepEqual(tablesIn(listing), ['inet a', 'ip odd name'])
    assert.deepEqual(tablesIn(''), [])
  })

  it('are all named by what nft is asked', {
    skip: inRoom('', ...listTables).status !== 0 && 'there is no nft',
  }, () => {
    assert.deepEqual(tablesIn(String(inRoom(script, ...listTables).stdout)).toSorted(), expected)
    const all = String(inRoom(script, 'list', 'tables').stdout)
      .trim()
      .split('\n')
    assert.deepEqual(all.map((line) => line.replace('table ', '')).toSorted(), expected)
  })
})
