// Signed heads of the chain of audit records, kept where gatewayd cannot write. Each signature covers the one before it, and a
// signed head record has the length of the list, so an altered, reordered or truncated file is detected. The newest one is in
// the head alone: it comes with every change, and joins the list now and then.

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { appendFileSync, constants, fsyncSync, ftruncateSync, readFileSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Checkpoint } from '../core/plan/artifacts.ts'
import type { Log } from '../engines/kit/text.ts'
import { Refusal } from '../engines/kit/values.ts'
import { readJson, readRegular, withFile, writeDurable } from '../shared/files/durable.ts'

const { O_RDWR, O_APPEND, O_CREAT } = constants

type Unsigned = Omit<Checkpoint, 'authentic'>
type Entry = Unsigned & { readonly signature: string }
/** How many entries there are and which is the last; null before the first. Heads of earlier releases have no newest one. */
type Listed = { readonly count: number; readonly last: Entry | null; readonly newest?: Entry | null }
type Head = Listed & { readonly signature: string }

/** The newest one joins the list this often, so that it does not grow with every change. */
const listedEvery = { records: 1_000, milliseconds: 5 * 60_000 }
/** However often gatewayd asks, the list grows by this many at once, and then by one in this time. */
const growth = { most: 300, everyMs: 60_000 }
/** Checked at once; each takes a tenth of a millisecond, and years make a hundred thousand of them. */
const checkedAtOnce = 64

const unreadable: Checkpoint = { sequence: 0, hash: '', time: '', authentic: false }

export function createCheckpoints(directory: string, log: Log, elapsed = () => performance.now()) {
  const listPath = joinPath(directory, 'checkpoints.jsonl')
  const headPath = joinPath(directory, 'checkpoints.head.json')
  const keyPath = joinPath(directory, 'checkpoint.key')
  /** From when on the list may grow by all it may at once. */
  let isFullFrom = Number.NEGATIVE_INFINITY

  const mayGrow = (): boolean => {
    const next = Math.max(isFullFrom, elapsed()) + growth.everyMs
    if (next > elapsed() + growth.most * growth.everyMs) return false
    isFullFrom = next
    return true
  }

  /**
   * A repeated checkpoint is ignored; an older one is refused. Durable when it returns. `isFirst`: gatewayd has started, and
   * the one before proves what it found.
   */
  function add(sequence: number, hash: string, isFirst = false): null {
    const key = readKey()
    // Without a head, a count that does not fit: one that was removed or altered shows for ever.
    let head: Listed = readHead(key) ?? { count: readLines().length + 1, last: null }
    const before = head.newest ?? head.last
    if (before?.sequence === sequence && before.hash === hash) return null
    const isOlder = before !== null && sequence <= before.sequence
    if (head.newest && (isFirst || isOlder || isDue(head.last, head.newest))) {
      if (mayGrow()) head = join(key, head, head.newest)
      // It proves what was there before, so it is not replaced; one that is only due waits.
      else if (isFirst || isOlder) throw new Refusal('There are too many checkpoints in a short time.')
    }
    if (isOlder) throw new Refusal(`Checkpoint ${sequence} does not follow checkpoint ${before.sequence}.`)
    const unsigned = { sequence, hash, time: new Date().toISOString() }
    const newest = { ...unsigned, signature: sign(null, entryBytes(unsigned, head.last), key).toString('base64') }
    writeHead(key, head.count, head.last, newest)
    return null
  }

  /** The head goes first and carries the entry, so a crash between the two writes loses nothing. */
  function join(key: KeyObject, { count, last }: Listed, entry: Entry): Listed {
    if (last && readLines().length === count - 1) append(last)
    writeHead(key, count + 1, entry, null)
    append(entry)
    return { count: count + 1, last: entry }
  }

  /** Read at once, so that it is one state, and checked in slices. */
  async function list(): Promise<Checkpoint[]> {
    const key = createPublicKey(readKey())
    const head = readHead(key)
    const entries = readLines().map(parseEntry)
    if (head?.last && entries.length === head.count - 1) entries.push(head.last)
    const shown: Checkpoint[] = []
    for (const [index, entry] of entries.entries()) {
      if (index % checkedAtOnce === checkedAtOnce - 1) await setImmediate()
      shown.push(entry ? show(key, entry, entries[index - 1] ?? null) : unreadable)
    }
    const isWhole = head?.count === entries.length && (entries.at(-1)?.signature ?? '') === (head.last?.signature ?? '')
    if (isWhole) return head?.newest ? [...shown, show(key, head.newest, head.last)] : shown
    return [...shown, head?.last ? { ...show(key, head.last, null), authentic: false } : unreadable]
  }

  function readHead(key: KeyObject): Head | null {
    const head = readJson<Head>(headPath, log)
    return head && isSigned(key, headBytes(head), head.signature) ? head : null
  }

  function writeHead(key: KeyObject, count: number, last: Entry | null, newest: Entry | null): void {
    const signature = sign(null, headBytes({ count, last, newest }), key).toString('base64')
    writeDurable(headPath, JSON.stringify({ count, last, newest, signature } satisfies Head))
  }

  /** Whole lines only: an entry that a crash cut off is in the head. */
  const readLines = (): string[] => (readRegular(listPath) ?? '').toString().split('\n').slice(0, -1)

  const append = (entry: Entry): void =>
    withFile(listPath, O_RDWR | O_APPEND | O_CREAT, (file) => {
      ftruncateSync(file, readFileSync(file).lastIndexOf('\n') + 1)
      appendFileSync(file, `${JSON.stringify(entry)}\n`)
      fsyncSync(file)
    })

  function readKey(): KeyObject {
    const stored = readRegular(keyPath)
    if (stored) return createPrivateKey(stored)
    const key = generateKeyPairSync('ed25519').privateKey
    // The head first: a key without a head then means that the head was removed.
    writeHead(key, 0, null, null)
    writeDurable(keyPath, key.export({ type: 'pkcs8', format: 'pem' }))
    return key
  }

  return { add, list }
}

const bytesOf = (...parts: unknown[]): Buffer => Buffer.from(JSON.stringify(parts))

const headBytes = ({ count, last, newest }: Listed): Buffer =>
  newest === undefined ? bytesOf('head', count, last) : bytesOf('head', count, last, newest)

const isDue = (last: Entry | null, newest: Entry): boolean =>
  newest.sequence - (last?.sequence ?? 0) >= listedEvery.records ||
  Date.parse(newest.time) - (last ? Date.parse(last.time) : 0) >= listedEvery.milliseconds

const entryBytes = ({ sequence, hash, time }: Unsigned, before: Entry | null): Buffer =>
  bytesOf('checkpoint', before?.signature ?? '', sequence, hash, time)

const isSigned = (key: KeyObject, bytes: Buffer, signature: string): boolean =>
  verify(null, bytes, key, Buffer.from(String(signature), 'base64'))

function show(key: KeyObject, entry: Entry, before: Entry | null): Checkpoint {
  const { signature, ...shown } = entry
  return { ...shown, authentic: isSigned(key, entryBytes(entry, before), signature) }
}

function parseEntry(line: string): Entry | null {
  try {
    const { sequence, hash, time, signature } = JSON.parse(line)
    const isEntry = Number.isSafeInteger(sequence) && [hash, time, signature].every((text) => typeof text === 'string')
    return isEntry ? { sequence, hash, time, signature } : null
  } catch {
    return null
  }
}
