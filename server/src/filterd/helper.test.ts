// The helper of the proxy as a process, with a stand-in for the decision process that dies, hangs, breaks lines and answers
// late.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { until } from '../../test/support/until.ts'

const program = join(import.meta.dirname, 'helper.pl')
const down = 'OK v_TLS=down v_REQ=down v_REP=down'
const full = 'OK v_TLS=full v_REQ=full v_REP=full'

/** Listens at the path, answers every line, and works without an end after the question `SPIN`. */
const decider = `require('node:net').createServer((socket) => socket.on('error', () => {}).on('data', (bytes) => {
  for (const line of String(bytes).trim().split('\\n')) {
    if (line.endsWith('SPIN')) for (;;);
    socket.write(line.split(' ')[0] + ' OK said=' + line.split(' ').slice(1).join('_') + '\\n')
  }
})).listen(process.argv[1])`

describe('the helper of the proxy', () => {
  let folder: string
  let path: string
  let server: Server | null = null
  let helper: ChildProcess
  const sockets = new Set<Socket>()
  /** What the stand-in got, and what it does with each line. */
  let lines: string[] = []
  let onLine: (line: string, socket: Socket) => void
  /** Answers of the helper, by channel. */
  let answers: Map<string, string[]>

  const answer = (line: string, socket: Socket): void => {
    const [number] = line.split(' ')
    socket.write(`${number} OK said=${line.split(' ').slice(1).join('_')}\n`)
  }

  async function listen(): Promise<void> {
    server = createServer((socket) => {
      sockets.add(socket)
      let rest = ''
      socket.on('data', (chunk) => {
        const all = (rest + chunk.toString('latin1')).split('\n')
        rest = all.pop() ?? ''
        for (const line of all) {
          if (line !== '0 PING') lines.push(line)
          onLine(line, socket)
        }
      })
      socket.on('error', () => socket.destroy())
      socket.on('close', () => sockets.delete(socket))
    }).listen(path)
    await once(server, 'listening')
  }
  async function die(): Promise<void> {
    for (const socket of sockets) socket.destroy()
    server?.close()
    rmSync(path, { force: true })
    await until('no connection is left', () => sockets.size === 0)
  }
  const ask = (text: string): unknown => helper.stdin?.write(text)
  const answered = (channel: number | string, count = 1): Promise<unknown> =>
    until(`channel ${channel} has an answer`, () => (answers.get(String(channel))?.length ?? 0) >= count)
  const last = (channel: number | string): string | undefined => answers.get(String(channel))?.at(-1)

  /** The stand-in is this process, which is busy whatever it answers: its work does not count unless that is what is tested. */
  function start(limitMs = 60_000, returnMs = 0, workingPercent = 1_000_000): void {
    const args = [limitMs, returnMs, workingPercent].map(String)
    helper = spawn('/usr/bin/perl', [program, path, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
    answers = new Map()
    let rest = ''
    helper.stdout?.on('data', (chunk: Buffer) => {
      const all = (rest + chunk.toString('latin1')).split('\n')
      rest = all.pop() ?? ''
      for (const line of all) {
        const space = line.indexOf(' ')
        const channel = line.slice(0, space)
        answers.set(channel, [...(answers.get(channel) ?? []), line.slice(space + 1)])
      }
    })
    helper.stdin?.on('error', () => {})
  }
  /** Asks until the decision process answers. */
  async function becomesReady(): Promise<void> {
    answers.delete('900')
    let turn = 0
    await until('the decision process is asked', () => {
      const before = answers.get('900') ?? []
      if (before.at(-1) === 'OK said=ready') return true
      if (before.length === turn) {
        turn += 1
        ask('900 ready\n')
      }
      return false
    })
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-helper-'))
    path = join(folder, 'ask.sock')
    lines = []
    onLine = answer
  })
  afterEach(async () => {
    const ended = once(helper, 'exit')
    helper.stdin?.end()
    assert.deepEqual(await ended, [0, null], 'it ends with the proxy, and well')
    await die()
    rmSync(folder, { recursive: true })
  })

  it('answers "down" at once without a decision process, and asks it as soon as it is there', async () => {
    start()
    ask('3 REQ a\n4 REQ b\n')
    await Promise.all([answered(3), answered(4)])
    assert.deepEqual([last(3), last(4)], [down, down])
    await listen()
    await becomesReady()
  })

  it('answers every open question when the decision process dies, and reaches the next one', async () => {
    await listen()
    start()
    await becomesReady()
    onLine = () => {}
    ask('1 REQ a\n2 REQ b\n')
    await until('both are asked', () => lines.filter((line) => line.includes('REQ')).length === 2)
    assert.equal(answers.has('1'), false)
    await die()
    await Promise.all([answered(1), answered(2)])
    assert.deepEqual([last(1), last(2)], [down, down])
    onLine = answer
    await listen()
    await becomesReady()
  })

  it('does not wait for a decision process that hangs, and a late answer meets no other question', async () => {
    await listen()
    start(300)
    await becomesReady()
    let late: (() => void) | undefined
    onLine = (line, socket) => {
      if (line.includes('REQ')) late ??= () => answer(line, socket)
    }
    ask('1 REQ first\n')
    await answered(1)
    assert.equal(last(1), down)
    // It does not even answer a ping: what is asked now is not sent.
    const count = lines.length
    ask('1 REQ second\n')
    await answered(1, 2)
    assert.equal(last(1), down)
    assert.equal(lines.length, count)
    late?.()
    onLine = answer
    await becomesReady()
    ask('1 REQ third\n')
    await answered(1, 3)
    assert.deepEqual(answers.get('1'), [down, down, 'OK said=REQ_third'])
  })

  it('refuses for a while when the decision process has ended, because a client may have ended it', async () => {
    await listen()
    start(60_000, 3_600_000)
    await becomesReady()
    onLine = () => {}
    ask('1 REQ a\n')
    await until('it is asked', () => lines.some((line) => line.includes('REQ')))
    await die()
    await answered(1)
    ask('2 REQ b\n')
    await answered(2)
    assert.deepEqual([last(1), last(2)], [full, full])
    onLine = answer
    await listen()
    await becomesReady()
  })

  it('tells a decision process that works from one that hangs', async () => {
    start(2_000, 0, 10)
    const child = spawn(process.execPath, ['-e', decider, path], { stdio: 'ignore' })
    try {
      await becomesReady()
      ask('1 SPIN\n')
      await answered(1)
      ask('2 REQ a\n')
      await answered(2)
      assert.deepEqual([last(1), last(2)], [full, full])
      child.kill('SIGSTOP')
      let asked = 0
      await until('it is seen to stand still', () => {
        if ((answers.get('3')?.length ?? 0) === asked) {
          asked += 1
          ask('3 REQ b\n')
        }
        return last(3) === down
      })
    } finally {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  })

  it('takes questions and answers in parts and in any order', async () => {
    await listen()
    start()
    await becomesReady()
    const waiting: string[] = []
    onLine = (line) => void waiting.push(line)
    for (const part of ['1', '1 RE', 'Q x%20y', '\n12 REQ z\n13', ' REQ w\n']) {
      ask(part)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await until('all are asked', () => waiting.length >= 3)
    assert.deepEqual(
      waiting.map((line) => line.replace(/^[0-9]+ /, '')),
      ['REQ x%20y', 'REQ z', 'REQ w'],
    )
    const [socket] = sockets
    const text = waiting.toReversed().map((line) => `${line.split(' ')[0]} OK v=${line.split(' ')[2]}\n`)
    for (const letter of text.join('')) socket?.write(letter)
    await Promise.all([answered(11), answered(12), answered(13)])
    assert.deepEqual([last(11), last(12), last(13)], ['OK v=x%20y', 'OK v=z', 'OK v=w'])
  })

  it('carries the questions of a proxy that has asked two thousand million times', async () => {
    await listen()
    start()
    await becomesReady()
    ask('2147483647 REQ a\n')
    await answered(2147483647)
    assert.equal(last(2147483647), 'OK said=REQ_a')
    ask(`2147483646 REQ ${'x'.repeat(3_000_000)}`)
    await answered(2147483646)
    assert.equal(last(2147483646), full)
  })

  it('carries 10,000 questions that are sent at once, each with its answer', async () => {
    await listen()
    start()
    await becomesReady()
    const channels = Array.from({ length: 10_000 }, (_, at) => at + 1_000)
    ask(channels.map((channel) => `${channel} REQ ${'u'.repeat(channel % 300)}${channel}\n`).join(''))
    await until('all are answered', () => channels.every((channel) => answers.has(String(channel))))
    for (const channel of channels)
      assert.deepEqual(answers.get(String(channel)), [`OK said=REQ_${'u'.repeat(channel % 300)}${channel}`])
  })

  it('outlives lines that are too long or not questions, and answers without end', async () => {
    await listen()
    start()
    await becomesReady()
    ask(`7 REQ ${'x'.repeat(3_000_000)}`)
    await answered(7)
    assert.equal(last(7), full, 'a client can make it too long')
    ask(`${'y'.repeat(100)}\n\nno question\n8 REQ ${'z'.repeat(200_000)}\n`)
    await answered(8)
    assert.equal(last(8), `OK said=REQ_${'z'.repeat(200_000)}`)
    assert.equal(answers.get('7')?.length, 1)
    onLine = (line, socket) => {
      if (line.includes('REQ')) socket.write('x'.repeat(200_000))
      else answer(line, socket)
    }
    ask('9 REQ a\n')
    await answered(9)
    assert.equal(last(9), down)
    onLine = answer
    await becomesReady()
  })
})
