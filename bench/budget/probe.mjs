// Loaded into gatewayd and applyd before anything of theirs, and so into each of their threads: counts modules, SQL statements,
// threads and the messages on the socket between the two, and tells them when it is asked over a socket of its own. It works on
// the runtime alone, so that it does not depend on how our code is arranged. checkout.ts puts it there.

import { createHash } from 'node:crypto'
import fs, { chmodSync, rmSync } from 'node:fs'
import { registerHooks, syncBuiltinESMExports } from 'node:module'
import { createServer, Socket } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { getHeapStatistics } from 'node:v8'
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'

const names = ['modules', 'statements', 'threads', 'messages', 'bytes']
const shared = 'portcullis-budget'

/** One number each, of all threads together. */
const counts = getEnvironmentData(shared) ?? new BigInt64Array(new SharedArrayBuffer(8 * names.length))
const add = (name, amount = 1) => Atomics.add(counts, names.indexOf(name), BigInt(amount))

function countModules() {
  registerHooks({
    load(url, context, nextLoad) {
      // Those of threads come when they come; the threads themselves are counted.
      if (isMainThread && url.startsWith('file:') && !url.includes('/server/plain/')) add('modules')
      return nextLoad(url, context)
    },
  })
}

/** Calls `count` before each call of a method. */
function watch(prototype, method, count) {
  const original = prototype[method]
  prototype[method] = function (...values) {
    count(this, values)
    return original.apply(this, values)
  }
}

function countStatements() {
  watch(DatabaseSync.prototype, 'exec', () => add('statements'))
  for (const method of ['run', 'get', 'all', 'iterate']) watch(StatementSync.prototype, method, () => add('statements'))
}

/** Counts frames, however they are cut: a length of four bytes and so many bytes (server/src/shared/frames.ts). */
function frameCounter() {
  let head = 0
  let headBytes = 0
  let missing = 0
  return (chunk) => {
    add('bytes', chunk.length)
    for (let at = 0; at < chunk.length; ) {
      if (missing > 0) {
        const taken = Math.min(missing, chunk.length - at)
        missing -= taken
        at += taken
        continue
      }
      head = head * 256 + chunk[at++]
      headBytes++
      if (headBytes < 4) continue
      add('messages')
      missing = head
      head = 0
      headBytes = 0
    }
  }
}

const counters = Symbol('counters of a socket to applyd')

/** Both directions, seen from the side that connects. */
function countMessages() {
  watch(Socket.prototype, 'connect', (socket, [first]) => {
    // Node normalises what connect() was called with into a list.
    const { path = '' } = Array.isArray(first) ? first[0] : Object(first)
    if (basename(path) === 'applyd.sock') socket[counters] = { sent: frameCounter(), received: frameCounter() }
  })
  watch(Socket.prototype, 'write', (socket, [chunk]) => socket[counters]?.sent(chunk))
  watch(Socket.prototype, 'push', (socket, [chunk]) => chunk && socket[counters]?.received(chunk))
}

/** What was counted when gatewayd said that it is ready; null before that, and in applyd, which says nothing. */
let atReady = null

/** The word goes to the launcher in one write; what comes after it does not count as the start. */
function noticeReady() {
  const { writeSync } = fs
  fs.writeSync = (...values) => {
    if (atReady === null && String(values[1]).startsWith('{"event":"ready"')) atReady = read()
    return writeSync(...values)
  }
  syncBuiltinESMExports()
}

function read() {
  const own = process.cpuUsage()
  const thread = process.threadCpuUsage()
  return {
    ...Object.fromEntries(names.map((name, at) => [name, Number(Atomics.load(counts, at))])),
    microseconds: own.user + own.system,
    mainMicroseconds: thread.user + thread.system,
    allocated: getHeapStatistics().total_allocated_bytes,
  }
}

const sample = Array.from({ length: 20 }, (_, index) => ({
  id: index,
  name: `Rule ${index}`,
  enabled: true,
  ports: [80],
}))

/** What our work is made of: JSON, maps, small objects and a hash. Returns microseconds. */
function calibrate(rounds) {
  const before = process.cpuUsage()
  for (let round = 0; round < rounds; round++) {
    const items = JSON.parse(JSON.stringify(sample))
    const byName = new Map(items.map((item) => [item.name, { ...item, round }]))
    const text = [...byName.values()].map((item) => `${item.name} ${item.round}`).join('\n')
    createHash('sha256').update(text).digest('hex')
  }
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** A bare server beside ours, in the same process: its answers are the unit of those of the gateway. */
async function serveBare({ path, options, headers, body }) {
  const { createServer: createBare } = await import('node:https')
  const server = createBare(options, (_request, response) => {
    response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
  await new Promise((resolve) => server.listen(path, resolve))
  chmodSync(path, 0o777)
  server.unref()
}

async function answer(question) {
  if (question.calibrate) return { calibration: calibrate(question.calibrate), ...read() }
  if (question.bare) await serveBare(question.bare)
  if (question.plant !== undefined) globalThis[Symbol.for('portcullis-budget-plant')] = question.plant
  return question.atStart ? (atReady ?? read()) : read()
}

/** One line of JSON each way. Nothing of it keeps the process. */
function serve(path) {
  rmSync(path, { force: true })
  const server = createServer((socket) => {
    let text = ''
    socket.unref().setEncoding('utf8')
    socket.on('error', () => {})
    socket.on('data', async (part) => {
      text += part
      if (!text.endsWith('\n')) return
      const question = JSON.parse(text)
      text = ''
      socket.write(`${JSON.stringify(await answer(question))}\n`)
    })
  })
  server.listen(path, () => chmodSync(path, 0o777)).unref()
}

countModules()
countStatements()
if (isMainThread) {
  setEnvironmentData(shared, counts)
  process.on('worker', () => add('threads'))
  countMessages()
  noticeReady()
  const program = basename(dirname(process.argv[1] ?? ''))
  const folder = new URL(import.meta.url).searchParams.get('folder')
  if (['gatewayd', 'applyd'].includes(program)) serve(join(folder, `${program}.sock`))
}
