// Requirement 51: thousands of frames, made of valid ones with faults in them, on the parsers and on the socket of a running
// applyd. Whatever comes, nothing outside the tables is named, written or started, and applyd goes on.
// Requirement 51.

import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { isNightly, Random, seed } from '../../test/security/random.ts'
import { until } from '../../test/support/until.ts'
import type { Artifact } from '../core/plan/artifacts.ts'
import type { ReplyFrame, Verb } from '../core/plan/verbs.ts'
import { findFile, findUnit } from '../engines/kit/tables.ts'
import { Refusal } from '../engines/kit/values.ts'
import { createFrameReader, encodeFrame } from '../shared/frames.ts'
import type { Applyd } from './applyd.ts'
import { Bench, chain, dnsText, file, nft, piecesOf, planOf, set, unit } from './stand-ins/harness.ts'
import { mutated } from './stand-ins/mutations.ts'
import { makeParsers, requests, tables } from './stand-ins/valid-requests.ts'

const counts = isNightly ? { parsed: 1_000_000, sent: 100_000 } : { parsed: 6_000, sent: 600 }

const isInTables = (artifact: Artifact): boolean => {
  if (artifact.kind === 'file') return findFile(tables, artifact.name) !== undefined
  if (artifact.kind === 'unit') return findUnit(tables, artifact.name) !== undefined
  if (artifact.kind === 'nft') return tables.nft.tables.includes(artifact.name)
  if (artifact.kind === 'way') return tables.ways.some(({ name }) => name === artifact.name)
  return ['links', 'settings'].includes(artifact.name)
}

test(`${counts.parsed} requests with faults are refused, or are valid requests`, (t) => {
  t.diagnostic(`seed ${seed}`)
  const random = new Random(seed)
  const verbs = Object.keys(requests) as Verb[]
  const sizeOf = (verb: Verb): number => JSON.stringify(requests[verb]).length
  const small = verbs.filter((verb) => sizeOf(verb) < 2_000)
  let taken = 0
  for (let done = 0; done < counts.parsed; done++) {
    const verb = random.pick(random.chance(0.1) ? verbs : small)
    const other = requests[random.pick(verbs)]
    // As sent: what has no form in JSON does not arrive.
    const args = JSON.parse(JSON.stringify(mutated(random, requests[verb], other, 1 + random.below(3))) ?? 'null')
    const title = `seed ${seed}, request ${done}: ${verb} ${JSON.stringify(args).slice(0, 2_000)}`
    try {
      const parsed = makeParsers()[verb](args)
      taken += 1
      // Nothing is added to what was sent, and nothing of it is passed on unread.
      const { number: _, ...sent } = verb === 'readLive' ? { sets: [...new Set(args.sets)] } : args
      assert.deepEqual(JSON.parse(JSON.stringify(parsed)), sent, title)
      if ('plan' in parsed) assert.ok(parsed.plan.artifacts.every(isInTables), title)
    } catch (fault) {
      assert.ok(fault instanceof Refusal, `${title}: ${(fault as Error).stack}`)
    }
  }
  assert.equal(({} as Record<string, unknown>).path, undefined, 'the prototype of all objects was changed')
  t.diagnostic(`${taken} were valid all the same`)
  assert.ok(taken > counts.parsed / 100 && taken < counts.parsed / 2, `${taken} were valid: the generator is one-sided`)
})

let bench: Bench
let applyd: Applyd
before(async () => {
  bench = new Bench()
  applyd = await bench.start()
})
after(async () => {
  await applyd.close(true)
  bench.remove()
})

/** One connection, which may end at any time. */
class Peer {
  readonly socket: Socket = connect(applyd.socketPath)
  replies = 0
  isClosed = false

  constructor() {
    this.socket.on(
      'data',
      createFrameReader((message) => {
        const reply = message as ReplyFrame
        assert.ok(reply.ok || /^\S.*\.$/s.test(reply.message), JSON.stringify(reply))
        this.replies += 1
      }),
    )
    this.socket.on('error', () => {})
    this.socket.on('close', () => {
      this.isClosed = true
    })
  }
}

/** Links of the machine and programs that reach out are for the parsers alone. */
function sendable(): readonly { verb: Verb; args: unknown }[] {
  const pieces = [...piecesOf('a'), chain('b', ['accept']), set('s', ['10.0.0.1', '10.0.0.2'])]
  const plain = planOf(1, nft(pieces), file('part.one', 'x'))
  const full = planOf(
    2,
    nft(pieces),
    file('dns.conf', dnsText(bench.dnsPort)),
    file('stand.conf', 'well\n'),
    unit('stand'),
  )
  const change = { revision: 3, changed: [{ kind: 'nft', name: 'inet portcullis', changes: [[0, 2]] }], removed: [] }
  const others = ['settle', 'undo', 'observe', 'hits', 'sessions', 'sessionPart', 'changeLive', 'readLive'] as const
  const more = ['arrivals', 'cut', 'trial', 'checkpoint', 'checkpoints', 'ask', 'upgrade'] as const
  return [
    ...(['check', 'apply', 'attempt'] as const).flatMap((verb) => [
      { verb, args: { number: 1, plan: plain } },
      { verb, args: { plan: full } },
      { verb, args: { number: 2, base: 1, change } },
    ]),
    ...[...others, ...more].map((verb) => ({ verb, args: requests[verb] })),
  ]
}

function framesOf(random: Random, all: ReturnType<typeof sendable>, id: number): Buffer {
  const { verb, args } = random.pick(all)
  const request = {
    id,
    verb,
    args: random.chance(0.2) ? args : mutated(random, args, random.pick(all), 1 + random.below(2)),
  }
  const whole = random.chance(0.05) ? mutated(random, request, random.pick(all), 1) : request
  const frame = encodeFrame(whole ?? null)
  if (random.chance(0.02)) frame[4 + random.below(frame.length - 4)] = random.below(256)
  return frame
}

/** What leaves a connection without an answer: a frame that is cut, or a length that is not that of the message. */
function broken(random: Random, frame: Buffer): Buffer {
  if (random.chance(0.5)) return frame.subarray(0, random.below(frame.length))
  frame.writeUInt32BE(random.pick([0, 1, frame.length, 2 ** 32 - 1, 64 * 1024 * 1024]))
  return frame
}

test(`${counts.sent} frames on the socket have no effect outside the tables, and applyd goes on`, async (t) => {
  t.diagnostic(`seed ${seed}`)
  const random = new Random(seed)
  const all = sendable()
  const foreign = { shadow: statSync('/etc/shadow').mtimeMs, passwd: readFileSync('/etc/passwd', 'utf8') }
  let [peer, ended, answered] = [new Peer(), 0, 0]
  for (let done = 0; done < counts.sent; ) {
    const batch = 1 + random.below(40)
    for (let at = 0; at < batch; at++) peer.socket.write(framesOf(random, all, done + at))
    await until('the batch is answered', () => peer.isClosed || peer.replies === batch)
    if (random.chance(0.5)) peer.socket.write(broken(random, framesOf(random, all, done)))
    peer.socket.end()
    await until('the batch is over', () => peer.isClosed)
    ended += 1
    answered += peer.replies
    peer = new Peer()
    done += batch
  }
  t.diagnostic(`${answered} answers on ${ended} connections`)
  assert.ok(answered > counts.sent / 5, `only ${answered} frames were answered: the generator is one-sided`)
  peer.socket.write(encodeFrame({ id: 1, verb: 'observe', args: {} }))
  await until('applyd answers', () => peer.replies === 1)
  peer.socket.destroy()

  const failed = bench.log.filter((line) => line.includes('A verb failed'))
  assert.deepEqual(failed, [], 'a fault that is no refusal')
  const known = /^(etc(\/(dns\.conf|stand\.conf|parts(\/[A-Za-z0-9_.-]+)?))?|settings|state(\/.*)?)$/
  const strange = globSync('**', { cwd: bench.root }).filter((path) => path !== '.' && !known.test(path))
  assert.deepEqual(strange, [], 'files outside the tables')
  const tableNames = bench.nft('list', 'tables').split('\n').filter(Boolean)
  const ours = ['table inet portcullis', 'table inet extra', 'table inet portcullis_boot']
  assert.deepEqual(
    tableNames.filter((name) => !ours.includes(name)),
    [],
  )
  // The stand-in engine waits in a program of its own.
  for (const pid of bench.processes())
    assert.match(
      readFileSync(`/proc/${pid}/cmdline`, 'latin1'),
      /dnsmasq|stand-in\.sh|^sleep\0/,
      'a program outside the tables',
    )
  assert.deepEqual({ shadow: statSync('/etc/shadow').mtimeMs, passwd: readFileSync('/etc/passwd', 'utf8') }, foreign)
})
