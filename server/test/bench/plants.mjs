// Slowdowns that the budget has to find, planted into the processes of a copy of the program after bench/budget/probe.mjs. None is
// active until the probe is told its name, but for the module, which is there when a file says so at the start.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { Server } from 'node:https'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { isMainThread } from 'node:worker_threads'

const folder = new URL(import.meta.url).searchParams.get('folder')
const [, program] = /server\/src\/(gatewayd|applyd)\/main\.ts$/.exec(process.argv[1] ?? '') ?? []
const active = () => globalThis[Symbol.for('portcullis-budget-plant')]

const isChange = (chunk) => Buffer.isBuffer(chunk) && /"verb":"(attempt|apply)"/.test(chunk.subarray(0, 200).toString())

function frameOf(message) {
  const text = Buffer.from(JSON.stringify(message))
  const head = Buffer.alloc(4)
  head.writeUInt32BE(text.length)
  return Buffer.concat([head, text])
}

/** A question beside each change; its answer is dropped. */
function plantMessage() {
  const { write } = Socket.prototype
  let id = 1_000_000_000
  Socket.prototype.write = function (chunk, ...rest) {
    const isPlanted = active() === 'message' && isChange(chunk)
    if (isPlanted) write.call(this, frameOf({ id: id++, verb: 'devices', args: {} }))
    return write.call(this, chunk, ...rest)
  }
}

/** applyd reads the whole firewall for each change. */
function plantListing() {
  const { push } = Socket.prototype
  Socket.prototype.push = function (chunk, ...rest) {
    if (active() === 'listing' && chunk && isChange(chunk)) {
      // Waited for, so that it is over before the answer.
      spawn('/usr/sbin/nft', ['list', 'ruleset'], { stdio: 'ignore' }).once('exit', () =>
        push.call(this, chunk, ...rest),
      )
      return true
    }
    return push.call(this, chunk, ...rest)
  }
}

/** One more for each transaction. */
function plantStatement() {
  const { run } = StatementSync.prototype
  const extra = new DatabaseSync(':memory:').prepare('SELECT 1')
  StatementSync.prototype.run = function (...values) {
    if (active() === 'statement' && this.sourceSQL === 'COMMIT') extra.get()
    return run.apply(this, values)
  }
}

/** The name says for how many microseconds of processor time: `time 60`. */
function plantTime() {
  const { emit } = Server.prototype
  Server.prototype.emit = function (event, ...values) {
    const [, microseconds = '0'] = /^time (\d+)$/.exec(active() ?? '') ?? []
    if (event === 'request' && values[0].url.startsWith('/firewall/settings')) burn(Number(microseconds))
    return emit.call(this, event, ...values)
  }
}

function burn(microseconds) {
  const before = process.cpuUsage()
  const used = () => {
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  while (used() < microseconds);
}

async function plantModule() {
  const flag = join(folder, 'plant-module')
  if (!existsSync(flag)) return
  const path = join(folder, 'planted.mjs')
  if (readFileSync(flag, 'utf8') === program) await import(path)
}

if (isMainThread && program === 'gatewayd') {
  plantMessage()
  plantStatement()
  plantTime()
  await plantModule()
}
if (isMainThread && program === 'applyd') plantListing()
