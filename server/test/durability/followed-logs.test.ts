// Lines of services while the process that reads them is killed again and again, and while their files are emptied behind a copy:
// in the end each line is in the log exactly once.

import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { LocalLogStore } from '../../src/gatewayd/logs/store/local-store.ts'
import { createStoredLogs } from '../support/stored-logs.ts'
import { until } from '../support/until.ts'

const program = join(import.meta.dirname, 'followed-logs-process.ts')
const kills = 5
const batch = 400

async function messagesOf(logs: LocalLogStore): Promise<string[]> {
  const messages: string[] = []
  for (let place = 0; ; ) {
    const found = await logs.after(place, 10_000)
    messages.push(...found.records.map(({ message }) => message))
    if (found.place === place) return messages
    place = found.place
  }
}

const killed = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })

describe('lines of a service', () => {
  it('are in the log once each, whenever their reader is killed and its files are emptied', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-followed-'))
    mkdirSync(join(folder, 'log'))
    const path = join(folder, 'log', 'gatewayd.log')
    const time = new Date().toISOString()
    let written = 0
    const write = (count: number): void => {
      const lines = Array.from({ length: count }, () => JSON.stringify({ time, message: `line ${written++}` }))
      appendFileSync(path, `${lines.join('\n')}\n`)
    }
    for (let round = 0; round < kills; round++) {
      let place = -1
      const child = fork(program, [folder], { stdio: 'inherit' })
      child.on('message', (news) => {
        place = Number(news)
      })
      await until('it runs', () => place >= 0)
      // Killed at different moments: while nothing, some or everything of this is on the disk.
      for (let part = 0; part < 5; part++) {
        write(batch)
        if (part === 1) await until('something was kept', () => place > 0)
        if (part === 2 && round % 2 === 0) {
          copyFileSync(path, `${path}.1`)
          truncateSync(path)
        }
        if (part >= round % 5) await new Promise((resolve) => setImmediate(resolve))
      }
      await killed(child)
    }
    const logs = createStoredLogs(folder)
    await logs.flush()
    await until('all lines were read', async () => {
      await logs.flush()
      return (await logs.state()).place >= written
    })
    const numbers = (await messagesOf(logs)).map((message) => Number(/^line (\d+)$/.exec(message)?.[1]))
    assert.deepEqual(
      numbers,
      Array.from({ length: written }, (_, index) => index),
    )
    await logs.close()
    rmSync(folder, { recursive: true })
  })
})
