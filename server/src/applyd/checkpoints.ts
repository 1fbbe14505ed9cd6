// Signed heads of the chain of audit records, kept where gatewayd cannot write. Each signature covers the one before it, and a
// signed head record has the length of the list, so an altered, reordered or truncated file is detected.

import { createPrivateKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { appendFileSync, constants, fsyncSync, ftruncateSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readJson, readRegular, withFile, writeDurable } from '../files/durable.ts'
import type { Checkpoint } from '../plan/artifacts.ts'
import { Refusal } from './requests.ts'
import type { Log } from './text.ts'

const { O_RDWR, O_APPEND, O_CREAT } = constants

type Unsigned = Omit<Checkpoint, 'authentic'>
type Entry = Unsigned & { readonly signature: string }
/** How many entries there are and which is the last; null before the first. */
type Head = { readonly count: number; readonly last: Entry | null; readonly signature: string }

const unreadable: Checkpoint = { sequence: 0, hash: '', time: '', authentic: false }

export function createCheckpoints(directory: string, log: Log) {
  const listPath = join(directory, 'checkpoints.jsonl')
  const headPath = join(directory, 'checkpoints.head.json')
  const keyPath = join(directory, 'checkpoint.key')

  /** A repeated checkpoint is ignored; an older one is refused. Durable when it returns. */
  function add(sequence: number, hash: string): null {
    const key = readKey()
    const lines = readLines()
    const { count, last } = readHead(key) ?? { count: lines.length, last: null }
    if (last?.sequence === sequence && last.hash === hash) return null
    if (last && sequence <= last.sequence)
      throw new Refusal(`Checkpoint ${sequence} does not follow checkpoint ${last.sequence}.`)
    const unsigned = { sequence, hash, time: new Date().toISOString() }
    const entry = { ...unsigned, signature: sign(null, entryBytes(unsigned, last), key).toString('base64') }
    // The head goes first and carries the entry, so a crash between the two writes loses nothing.
    if (last && lines.length === count - 1) append(last)
    writeHead(key, count + 1, entry)
    append(entry)
    return null
  }

  function list(): Checkpoint[] {
    const key = readKey()
    const head = readHead(key)
    const entries = readLines().map(parseEntry)
    if (head?.last && entries.length === head.count - 1) entries.push(head.last)
    const shown = entries.map((entry, index) => (entry ? show(key, entry, entries[index - 1] ?? null) : unreadable))
    const isWhole = head?.count === entries.length && (entries.at(-1)?.signature ?? '') === (head.last?.signature ?? '')
    return isWhole ? shown : [...shown, head?.last ? { ...show(key, head.last, null), authentic: false } : unreadable]
  }

  function readHead(key: KeyObject): Head | null {
    const head = readJson<Head>(headPath, log)
    return head && isSigned(key, bytesOf('head', head.count, head.last), head.signature) ? head : null
  }

  function writeHead(key: KeyObject, count: number, last: Entry | null): void {
    const signature = sign(null, bytesOf('head', count, last), key).toString('base64')
    writeDurable(headPath, JSON.stringify({ count, last, signature } satisfies Head))
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
    writeHead(key, 0, null)
    writeDurable(keyPath, key.export({ type: 'pkcs8', format: 'pem' }))
    return key
  }

  return { add, list }
}

const bytesOf = (...parts: unknown[]): Buffer => Buffer.from(JSON.stringify(parts))

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
