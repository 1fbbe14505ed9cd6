// The socket of the content filter: tables in slices, differences, users that change, and peers that break the rules.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { until } from '../../../../test/support/until.ts'
import type { FilterUser } from '../../../domain/web-filter/model.ts'
import type { ToFilterd, WebFilterReport } from '../../../domain/web-filter/protocol.ts'
import { SessionTable } from '../../../filterd/session-table.ts'
import { createFrameReader, encodeFrame } from '../../../shared/frames.ts'
import { WebFilterSocket } from './socket.ts'

const report: WebFilterReport = {
  kind: 'report',
  policyDigest: 'a'.repeat(64),
  categories: null,
  sessions: 1,
  asked: 2,
  denied: 3,
  isAsked: true,
  faults: [],
}

describe('the socket of the content filter', () => {
  let folder: string
  let socket: WebFilterSocket
  let places: [string, string][]
  let users: Map<string, FilterUser>
  let messages: ToFilterd[]
  let table: SessionTable
  let logged: string[]
  const path = () => join(folder, 'run', 'gateway.sock')
  const user = (id: string, ...groups: string[]): FilterUser => ({ id, login: id, name: id, members: [id, ...groups] })

  const isListening = () =>
    until('it listens', () => (statSync(path(), { throwIfNoEntry: false })?.mode ?? 0) % 0o1000 === 0o660)
  async function attach(): Promise<Socket> {
    await isListening()
    const peer = connect(path())
    peer.on('error', () => {})
    const read = createFrameReader((message) => {
      messages.push(message as ToFilterd)
      if ((message as ToFilterd).kind === 'sessions') table.take(message as never)
    })
    peer.on('data', read)
    return peer
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-web-socket-'))
    places = []
    users = new Map()
    messages = []
    table = new SessionTable()
    logged = []
    socket = new WebFilterSocket({
      places: () => places,
      userOf: (id) => users.get(id) ?? null,
      log: (_level, message) => logged.push(message),
      everyMs: 20,
    })
    socket.serve(path())
    // applyd makes the folder later than gatewayd starts.
    mkdirSync(join(folder, 'run'))
  })
  afterEach(async () => {
    await socket.close()
    rmSync(folder, { recursive: true })
  })

  it('sends a long table in slices and then only differences', async () => {
    users.set('user.id.1', user('user.id.1', 'group.id.1'))
    const hosts = Array.from({ length: 5_000 }, (_, at): [string, string] => [
      `10.0.${at >> 8}.${at & 255}`,
      'user.id.1',
    ])
    places = [...hosts, ['10.9.0.0/16', 'user.id.1'], ['10.8.0.1', 'user.id.9']]
    const peer = await attach()
    await until('the table is there', () => table.size === 5_001)
    assert.deepEqual(
      messages.map((message) => message.kind === 'sessions' && message.table),
      ['first', 'more', 'last'],
    )
    assert.equal(table.at('10.9.255.1')?.id, 'user.id.1')
    assert.equal(table.at('10.8.0.1'), null, 'a user that does not exist')
    messages = []
    users.set('user.id.2', user('user.id.2'))
    places = [['10.0.0.0', 'user.id.2'], ...hosts.slice(1)]
    await socket.follow()
    await until('the change is there', () => table.at('10.0.0.0')?.id === 'user.id.2' && table.at('10.9.0.1') === null)
    const sent = messages.flatMap((message) =>
      message.kind === 'sessions' ? [...message.put.map(({ address }) => address), ...message.gone] : [],
    )
    assert.deepEqual(sent, ['10.0.0.0', '10.9.0.0/16'])
    messages = []
    users.set('user.id.1', user('user.id.1', 'group.id.7'))
    await until('new groups are known', () => table.at('10.0.0.9')?.members.includes('group.id.7') === true)
    await until('everyone has them', () => table.at('10.0.19.135')?.members.includes('group.id.7') === true)
    peer.destroy()
  })

  it('gives each peer its own table, and word of a new index', async () => {
    users.set('user.id.1', user('user.id.1'))
    places = [['10.0.0.1', 'user.id.1']]
    const first = await attach()
    await until('the table is there', () => table.size === 1)
    first.destroy()
    messages = []
    const second = await attach()
    await until('the table came again', () => messages.some((one) => one.kind === 'sessions' && one.table === 'only'))
    socket.announceCategories('/x/current')
    await until('the index is announced', () => messages.some((one) => one.kind === 'categories'))
    second.destroy()
  })

  it('takes reports, and closes on everything else', async () => {
    assert.equal(socket.report(), null)
    const peer = await attach()
    peer.write(encodeFrame(report))
    await until('the report is there', () => socket.report()?.denied === 3)
    const { categories: _, ...short } = report
    for (const wrong of [
      {},
      null,
      [],
      'x',
      { ...report, kind: 'other' },
      { ...report, asked: -1 },
      { ...report, asked: '1' },
      short,
      { ...report, policyDigest: '<b>' },
      { ...report, faults: ['a', 1] },
      { ...report, faults: Array(21).fill('x') },
      { ...report, categories: { entries: 1 } },
      { ...report, faults: ['x'.repeat(100_000)] },
    ]) {
      const bad = await attach()
      bad.write(encodeFrame(wrong))
      await until(`it is closed: ${JSON.stringify(wrong)?.slice(0, 80)}`, () => bad.destroyed)
    }
    const broken = await attach()
    broken.write(Buffer.from([255, 255, 255, 255, 0]))
    await until('it is closed', () => broken.destroyed)
    assert.equal(socket.report()?.denied, 3)
    peer.destroy()
    await until('it has gone', () => socket.report() === null)
  })

  it('has some lines of the log for a peer that breaks the framing again and again', async () => {
    for (let count = 0; count < 50; count++) {
      const peer = await attach()
      peer.write(Buffer.from([255, 255, 255, 255, 0]))
      await until('it is closed', () => peer.destroyed)
    }
    assert.ok(logged.length >= 1 && logged.length <= 5, `${logged.length} lines`)
  })

  it('reads reports at the pace of reports, whatever a peer sends', async () => {
    const peer = await attach()
    const sent = 5_000
    for (let asked = 1; asked <= sent; asked++) peer.write(encodeFrame({ ...report, asked }))
    await until('some were read', () => (socket.report()?.asked ?? 0) > 0)
    const before = performance.now()
    await until('it is over the limit', () => performance.now() - before > 300)
    const read = socket.report()?.asked ?? 0
    assert.ok(read < sent, 'all were read at once')
    peer.destroy()
  })
})
