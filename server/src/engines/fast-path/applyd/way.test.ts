// The table of the fast path by programs that stand in for nft and ip: only what the kernel lists counts, a card that is not there keeps
// no other one from it, and a fault is none of the plan. What a real kernel does with it is in test/machine.

import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, it } from 'node:test'
import type { FastDevice } from '../observed.ts'
import { fastPathEntry, scriptFor } from './way.ts'

const folder = mkdtempSync(join(tmpdir(), 'fast-path-'))
after(() => rmSync(folder, { recursive: true }))
const at = (name: string): string => join(folder, name)
const write = (name: string, text: string): void => writeFileSync(at(name), text)

/** Takes what names only cards that are there, keeps it as the table, and lists its cards and the number of its form. */
const nft = `#!/usr/bin/perl
my ($f, $all) = ('${folder}', "@ARGV"); sub text { open my $h, '<', "$f/$_[0]" or return; local $/; <$h> }
open my $log, '>>', "$f/calls"; print $log "$all\\n";
if ($all =~ /list table/) {
  my $t = text('table'); exit 1 unless defined $t;
  my ($d) = $t =~ /devices = \\{ (.*?) \\}/; my ($c) = $t =~ /comment ("[^"]*")/;
  print qq({"nftables":[{"metainfo":{}},{"flowtable":{"name":"cards","dev":[$d]}},{"rule":{"comment":$c}}]}); exit }
local $/; my $in = <STDIN>;
if (defined text('unable')) { print STDERR "Error: No such\\n  file"; exit 1 }
for ($in =~ /devices = \\{ (.*?) \\}/) { for (split /, /) { s/"//g; next if $_ eq 'lo'; next if text('cards') =~ /"$_"/ && !defined text("held-$_"); print STDERR "Error: no card $_"; exit 1 } }
exit if $all =~ /-c/;
if (defined text('stuck')) { print STDERR "Error: busy"; exit 1 }
if ($in =~ /flowtable/) { open my $t, '>', "$f/table"; print $t $in } else { unlink "$f/table" }
`
write('nft', nft)
write('ip', `#!/bin/sh\ncat ${at('cards')}\n`)
for (const name of ['nft', 'ip']) chmodSync(at(name), 0o755)

const cards = (...names: readonly string[]): void =>
  write('cards', JSON.stringify(['lo', ...names].map((ifname) => ({ ifname }))))
const of = (...names: readonly string[]): readonly FastDevice[] => names.map((device) => ({ device }))
const create = () => fastPathEntry.create({ ip: [at('ip')], nft: [at('nft')] })
const table = (): string => (existsSync(at('table')) ? readFileSync(at('table'), 'utf8') : '')

beforeEach(() => {
  for (const name of ['table', 'unable', 'stuck', 'held-wan0', 'calls']) rmSync(at(name), { force: true })
  cards('wan0', 'lan0')
})

describe('the fast path', () => {
  it('is one table behind all others, for connections that nothing has to look at', () => {
    assert.equal(
      scriptFor(['lan0', 'wan0']),
      `table inet portcullis_fast
delete table inet portcullis_fast
table inet portcullis_fast {
  flowtable cards {
    hook ingress priority 0; devices = { "lan0", "wan0" }; counter;
  }
  chain forward {
    type filter hook forward priority 300; policy accept;
    ct mark & 0xfffffffe == 0x0 ct state established ct packets > 24 meta nfproto ipv4 meta l4proto { tcp, udp } iifname { "lan0", "wan0" } oifname { "lan0", "wan0" } flow add @cards comment "fast-path 1"
  }
}
`,
    )
  })

  it('is open between the cards that are there, and says so by what the kernel lists', async () => {
    const path = create()
    const state = of('gone0', 'lan0', 'wan0')
    assert.equal(await path.isCurrent(state), false)
    await path.open(state, null)
    assert.equal(table(), scriptFor(['lan0', 'wan0']))
    assert.equal(await path.isCurrent(state), true)
    assert.deepEqual(await path.observe?.(), { isAble: true, devices: ['lan0', 'wan0'], isGivenUp: false, fault: '' })
  })

  it('follows cards that come and go', async () => {
    const path = create()
    const state = of('lan0', 'wan0', 'wan1')
    await path.open(state, null)
    cards('lan0', 'wan0', 'wan1')
    assert.equal(await path.isCurrent(state), false)
    await path.ensure(state)
    assert.equal(table(), scriptFor(['lan0', 'wan0', 'wan1']))
    cards()
    await path.ensure(state)
    assert.equal(table(), '')
  })

  it('is closed by a plan without it, and closed again when something is left of it', async () => {
    const path = create()
    await path.open(of('lan0', 'wan0'), null)
    await path.close(of('lan0', 'wan0'))
    assert.notEqual(table(), '')
    await path.close(null)
    assert.equal(table(), '')
    write('table', scriptFor(['lan0']))
    const next = create()
    assert.equal(await next.isCurrent(null), false)
    await next.ensure(null)
    assert.equal(table(), '')
  })

  it('is written again when another program changed it', async () => {
    const path = create()
    const state = of('lan0', 'wan0')
    write('table', scriptFor(['lan0', 'wan0']).replace('fast-path 1', 'other'))
    assert.equal(await path.isCurrent(state), false)
    await path.ensure(state)
    assert.equal(await path.isCurrent(state), true)
  })

  it('loads nothing on a kernel that has none, and is as wanted there', async () => {
    write('unable', '')
    const path = create()
    const state = of('lan0', 'wan0')
    assert.equal(await path.isCurrent(state), true)
    await path.open(state, null)
    assert.equal(table(), '')
    assert.deepEqual(await path.observe?.(), { isAble: false, devices: [], isGivenUp: false, fault: '' })
    const asked = readFileSync(at('calls'), 'utf8').split('\n')
    assert.equal(asked.filter((call) => call.startsWith('-c')).length, 1)
  })

  it('closes, and fails nothing, when a card goes at the last moment', async () => {
    const path = create()
    await path.open(of('lan0', 'wan0'), null)
    cards('lan0', 'wan0', 'wan1')
    write('held-wan0', '')
    await path.open(of('lan0', 'wan0', 'wan1'), of('lan0', 'wan0'))
    assert.equal(table(), '')
    const seen = { isAble: true, devices: [], isGivenUp: false, fault: 'Error: no card wan0' }
    assert.deepEqual(await path.observe?.(), seen)
  })

  it('fails the change that closes it when the kernel does not', async () => {
    const path = create()
    await path.open(of('lan0', 'wan0'), null)
    write('stuck', '')
    await assert.rejects(path.close(null), /cannot be closed: Error: busy/)
  })

  it('stays closed once connections on it could not be ended', async () => {
    const path = create()
    const state = of('lan0', 'wan0')
    assert.equal(await path.giveUp?.(), false)
    const other = create()
    await other.open(state, null)
    assert.equal(await other.giveUp?.(), true)
    assert.equal(table(), '')
    await other.open(state, null)
    assert.equal(table(), '')
    assert.equal(await other.isCurrent(state), true)
    assert.deepEqual(await other.observe?.(), { isAble: true, devices: [], isGivenUp: true, fault: '' })
  })

  it('takes names of cards and nothing else from a plan', () => {
    assert.deepEqual(fastPathEntry.parse(of('eth0', 'enp3s0f1')), of('eth0', 'enp3s0f1'))
    for (const device of ['', 'a"; flush ruleset; #', 'lan*', '-x', 'a b', 'x'.repeat(16), 'a\n', '../a', 7, null])
      assert.throws(() => fastPathEntry.parse([{ device }]), /name of a device/, JSON.stringify(device))
    assert.throws(() => fastPathEntry.parse([{ device: 'lan0', more: 1 }]), /keys/)
    assert.throws(() => fastPathEntry.parse(of(...Array.from({ length: 257 }, (_, n) => `e${n}`))), /at most 256/)
  })
})
