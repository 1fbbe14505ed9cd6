// The log store when its process is killed, when its disk is full and when its file is damaged.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { all } from '../../src/core/contract/table-query.ts'
import type { NewRecord } from '../../src/domain/logs/record.ts'
import type { StoreState } from '../../src/domain/logs/store.ts'
import { appRoot, runtimePath } from '../../src/tools/launcher/layout.ts'
import { isNightly, Random, seed } from '../security/random.ts'
import { InThreadLogStore } from '../support/in-thread-log-store.ts'
import { textOf } from '../support/log-questions.ts'
import { until } from '../support/until.ts'
import { reasonToSkip, smallDiskCommand } from './small-disk.ts'

const ingester = fileURLToPath(new URL('log-ingester.ts', import.meta.url))
const kills = isNightly ? 100 : 5
const sizes = { block: 64, frame: 16 }
const limits = { days: {}, maxBytes: 1e9 }

interface Report {
  readonly began?: number
  readonly place?: number
  readonly state?: Pick<StoreState, 'fault' | 'lost' | 'place'>
}

class Ingester {
  readonly child: ChildProcess
  readonly reports: Report[] = []
  readonly #closed: Promise<unknown>

  constructor(command: readonly string[]) {
    const [program = '', ...args] = command
    this.child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    this.#closed = new Promise((resolve) => this.child.once('close', resolve))
    createInterface({ input: this.child.stdout ?? assert.fail() }).on('line', (line) =>
      this.reports.push(JSON.parse(line) as Report),
    )
  }

  get place(): number {
    return this.reports.findLast(({ place }) => place !== undefined)?.place ?? 0
  }

  get state(): Report['state'] {
    return this.reports.findLast(({ state }) => state !== undefined)?.state
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.#closed
  }
}

const command = (path: string, ...more: readonly string[]): string[] => [runtimePath(appRoot), ingester, path, ...more]

describe('the log store', () => {
  let folder = ''
  let path = ''
  let running: Ingester | null = null
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-logs-'))
    path = join(folder, 'logs.db')
  })
  afterEach(async () => {
    await running?.kill()
    running = null
    rmSync(folder, { recursive: true, force: true })
  })

  const openStore = (): InThreadLogStore => new InThreadLogStore({ path, limits, now: Date.now, sizes })

  /** The numbers of all records, in the order of their places. */
  async function storedNumbers(store: InThreadLogStore): Promise<number[]> {
    const numbers: number[] = []
    for (let place = 0; ; ) {
      const { records, place: reached, lost } = await store.after(place, 5_000)
      assert.equal(lost, 0)
      for (const { message } of records) numbers.push(Number(message.slice('number '.length)))
      if (records.length === 0) return numbers
      place = reached
    }
  }

  it('that is killed keeps all that was reported and a beginning of the rest, and goes on', async () => {
    const random = new Random(seed)
    for (let round = 0; round < kills; round++) {
      running = new Ingester(command(path, String(random.pick([1, 50, 200])), String(random.pick([1, 3, 20])), '3000'))
      const ingest = running
      const reports = 1 + random.below(6)
      await until('some records are reported', () => ingest.reports.filter(({ place }) => place).length >= reports)
      // A moment that no report decides.
      for (let turn = random.below(50); turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve))
      await ingest.kill()
      const plain = new DatabaseSync(path)
      assert.deepEqual({ ...plain.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' })
      plain.close()
      const store = openStore()
      const numbers = await storedNumbers(store)
      const wrong = numbers.findIndex((number, at) => number !== at + 1)
      assert.equal(wrong, -1, `round ${round}, seed ${seed}: ${numbers[wrong]} is number ${wrong + 1}`)
      assert.ok(numbers.length >= ingest.place, `${numbers.length} of ${ingest.place} records`)
      assert.equal((await store.marks()).get('numbers'), String(numbers.length))
      await store.close()
    }
  })

  it('stops logging on a full disk, says so, and goes on when there is room', { skip: reasonToSkip() }, async () => {
    running = new Ingester(smallDiskCommand(4 << 20, folder, command(path)))
    const ingest = running
    const inside = `/proc/${ingest.child.pid}/root${folder}`
    await until('records are stored', () => ingest.place > 1_000)
    fill(join(inside, 'filler'))
    await until('the fault is reported', () => typeof ingest.state?.fault === 'string')
    assert.match(ingest.state?.fault ?? '', /^The disk is full/)
    await until('records are counted as lost', () => (ingest.state?.lost ?? 0) > 1_000)
    const stopped = ingest.place
    rmSync(join(inside, 'filler'))
    await until('it goes on', () => ingest.state?.fault === null && ingest.place > stopped + 100)
  })

  const record = (message: string): NewRecord => ({
    kind: 'system',
    time: Date.now() * 1_000,
    priority: 6,
    unit: 'u',
    syslogId: 's',
    message,
    fields: {},
  })
  const question = {
    view: 'records',
    scope: { timeZone: 'UTC', brand: 'Gate' },
    hidden: [],
    where: all(),
    order: [],
    offset: 0,
    limit: 5_000,
  }

  async function writeSome(): Promise<number> {
    const store = openStore()
    for (let count = 0; count < 40; count++) {
      store.append(Array.from({ length: 50 }, (_, at) => record(`number ${count * 50 + at}`)))
      await store.flush()
      store.tidy()
    }
    await store.close()
    return statSync(path).size
  }

  for (const [what, from, until] of [
    ['at its beginning', 0, 0.01],
    ['in all pages but the first', 0.3, 1],
  ] as const) {
    it(`sets a file aside that is damaged ${what}`, async () => {
      const size = await writeSome()
      spoil(path, Math.floor(size * from), Math.floor(size * until))
      const store = openStore()
      store.writer.verify()
      store.append([record('after')])
      await store.flush()
      const { fault, notice, place } = await store.state()
      assert.deepEqual([fault, notice], [null, 'The log file was damaged. It was set aside, and a new one was begun.'])
      assert.ok(place > 2_000, 'places of the damaged file are not used again')
      assert.deepEqual((await textOf(store, question, ['message'])).text, 'after\r\n')
      assert.deepEqual(await store.after(5, 10).then(({ records, lost }) => [records.length, lost]), [1, 0])
      assert.ok(readdirSync(folder).includes('logs.db.damaged'))
      await store.close()
    })
  }

  it('removes a block that cannot be read, and keeps the others', async () => {
    await writeSome()
    const plain = new DatabaseSync(path)
    plain.exec('UPDATE pieces SET bytes = zeroblob(9) WHERE key = (SELECT max(key) FROM pieces)')
    plain.close()
    const store = openStore()
    await assert.rejects(async () => textOf(store, question, ['message']))
    store.writer.verify()
    const { total } = await textOf(store, question, ['message'])
    const { lost, notice } = await store.state()
    assert.ok(total >= 1_900 && total < 2_000, String(total))
    assert.equal(lost, 2_000 - total)
    assert.equal(notice, `${lost} log records were damaged and have been removed.`)
    await store.close()
  })
})

function spoil(path: string, from: number, until: number): void {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(until - from, 0xa5), 0, until - from, from)
  closeSync(file)
}

function fill(path: string): void {
  const file = openSync(path, 'a')
  try {
    for (const size of [1 << 16, 1 << 12]) for (;;) if (!isWritten(file, Buffer.alloc(size))) break
  } finally {
    closeSync(file)
  }
}

function isWritten(file: number, block: Buffer): boolean {
  try {
    writeSync(file, block)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
    throw error
  }
}
