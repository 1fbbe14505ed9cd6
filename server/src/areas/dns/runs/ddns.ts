// Keeps the records of a domain at the gateway's external address: sends an update when the address or the settings changed,
// waits longer after each failure, and stays silent when the provider refused until something is changed.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeDurably } from '../../../shared/files/durable-file.ts'
import { say } from '../../../shared/said.ts'
import type { Clock } from '../../../shared/time/clock.ts'
import type { DdnsServer, SendUpdate } from './ddns-request.ts'

export interface DdnsWish {
  readonly domain: string
  readonly login: string
  readonly password: string
  readonly address: string
}

export interface DdnsState {
  /** The address that the provider last confirmed for the domain, and when in unix seconds. */
  readonly address: string | null
  readonly updatedAt: number | null
  /** Why the last update failed; null when it did not. */
  readonly error: string | null
  /** Seconds until the next try; null when none is planned. */
  readonly retrySeconds: number | null
}

export interface DdnsParts {
  readonly clock: Pick<Clock, 'now' | 'elapsed'>
  readonly send: SendUpdate
  /** The operator's choice; null when none was made. */
  readonly server: () => DdnsServer | null
  /** Where the last success is kept, so that a restart does not send an update. */
  readonly path: string
}

export type DdnsUpdater = ReturnType<typeof createDdnsUpdater>

const firstPause = 60
const longestPause = 3600
/** Providers forget names that are never updated. */
const refreshSeconds = 24 * 24 * 3600

/** What was confirmed; the password is not stored. */
interface Success {
  readonly wish: string
  readonly address: string
  readonly at: number
}

export function createDdnsUpdater({ clock, send, server, path }: DdnsParts) {
  let done: Success | null = readSuccess(path)
  /** What failed last: the same wish is not tried again before its time, another one is at once. */
  let failed: { readonly wish: string; readonly error: string; readonly count: number; readonly due: number } | null =
    null
  let running: Promise<void> | null = null

  /** Null: nothing is wanted. Resolves when an update that had to be sent was answered. */
  async function follow(wish: DdnsWish | null): Promise<void> {
    // Asked after every change, so that files are read only when something is wanted.
    const target = wish && server()
    if (wish === null || target === null) {
      failed = null
      return
    }
    if (running) return running
    const key = keyOf(wish, target)
    // Either way: the clock may have been set back.
    const isFresh =
      done?.wish === keyOf({ ...wish, password: '' }, target) && Math.abs(nowSeconds() - done.at) < refreshSeconds
    if (isFresh || (failed?.wish === key && clock.elapsed() < failed.due)) return
    running = update(wish, target, key).finally(() => {
      running = null
    })
    return running
  }

  async function update(wish: DdnsWish, target: DdnsServer, key: string): Promise<void> {
    // Two records (docs/behaviour/dynamic-dns.md 1): the domain itself and www.
    for (const host of [wish.domain, `www.${wish.domain}`]) {
      const answer = await send(target, { ...wish, host })
      if (answer.kind === 'done') continue
      const count = failed?.wish === key ? failed.count + 1 : 1
      const pause =
        answer.kind === 'later' ? (answer.seconds ?? Math.min(longestPause, firstPause * 2 ** (count - 1))) : null
      const error = say`${target.url.hostname} did not accept the address for ${host}: ${answer.message}.`
      failed = { wish: key, error, count, due: pause === null ? Number.POSITIVE_INFINITY : clock.elapsed() + pause }
      return
    }
    failed = null
    done = { wish: keyOf({ ...wish, password: '' }, target), address: wish.address, at: nowSeconds() }
    writeDurably(path, JSON.stringify(done))
  }

  const nowSeconds = (): number => Math.floor(clock.now().getTime() / 1000)

  const state = (): DdnsState => ({
    address: done?.address ?? null,
    updatedAt: done?.at ?? null,
    error: failed?.error ?? null,
    retrySeconds: failed && Number.isFinite(failed.due) ? Math.max(0, Math.ceil(failed.due - clock.elapsed())) : null,
  })

  return { follow, state, hasServer: () => server() !== null }
}

const keyOf = (wish: DdnsWish, { url }: DdnsServer): string =>
  createHash('sha256')
    .update(JSON.stringify([wish, url.href]))
    .digest('hex')

function readSuccess(path: string): Success | null {
  try {
    const { wish, address, at } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Success>
    return typeof wish === 'string' && typeof address === 'string' && typeof at === 'number'
      ? { wish, address, at }
      : null
  } catch {
    // No file yet, or one that was cut short: then the address is sent once more.
    return null
  }
}

/** The operator's files: the address of the update service, and the certificates to trust if not the usual ones. */
export function readDdnsServer(urlFile: string, caFile: string): DdnsServer | null {
  const text = readIfThere(urlFile)?.trim() ?? ''
  const url = URL.canParse(text) ? new URL(text) : null
  return url?.protocol === 'https:' ? { url, ca: readIfThere(caFile) } : null
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
