// Has ndpiReader say which application each connection of a capture belongs to. The capture goes over its standard input, so
// nothing of the traffic is on the disk; the answer comes in a file, because it writes to no socket. It reads what anyone on the
// network can send: it has no right at all, little memory and little time.

import { spawn } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import type { ClassifiedConnection } from '../../core/plan/facts.ts'
import { connectionKey } from './packet.ts'

/** The same as gatewayd reads. */
export type Detected = ClassifiedConnection

const program = '/usr/bin/ndpiReader'
/** A run over all that is kept at a time takes about a second. */
const [maxSeconds, maxMemory] = [10, 512 * 1024 * 1024]
const maxAnswerBytes = 32 * 1024 * 1024

/** Without guesses by port: `-d`. */
const command = [
  '/usr/bin/prlimit',
  `--cpu=${maxSeconds}`,
  `--as=${maxMemory}`,
  '--core=0',
  '--',
  '/usr/bin/setpriv',
  '--no-new-privs',
  '--inh-caps=-all',
  '--ambient-caps=-all',
  '--',
  program,
  '-q',
  '-d',
  '-i',
  '-',
  '-C',
] as const

export async function detect(capture: Buffer, answerPath: string): Promise<ReadonlyMap<string, Detected>> {
  try {
    await look(capture, answerPath)
    const answer = await open(answerPath)
    try {
      const bytes = Math.min((await answer.stat()).size, maxAnswerBytes)
      const { buffer, bytesRead } = await answer.read(Buffer.alloc(bytes), 0, bytes, 0)
      return parseAnswer(buffer.toString('latin1', 0, bytesRead))
    } finally {
      await answer.close()
    }
  } finally {
    await rm(answerPath, { force: true })
  }
}

function look(capture: Buffer, answerPath: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const [wrapper, ...args] = command
    const child = spawn(wrapper, [...args, answerPath], {
      cwd: '/',
      env: { PATH: '/usr/bin' },
      stdio: ['pipe', 'ignore', 'pipe'],
      timeout: 3 * maxSeconds * 1000,
      killSignal: 'SIGKILL',
    })
    let fault = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      fault = (fault + chunk.toString('latin1')).slice(-200)
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0 && fault === '') resolve()
      else reject(new Error(`ndpiReader ended with ${signal ?? code}. ${fault}`.trim()))
    })
    child.stdin?.on('error', () => {})
    child.stdin?.end(capture)
  })
}

/**
 * Columns up to the name of the protocol come before anything of the network; what follows can hold any character but an end of
 * line. A plain host name is taken of it, if the columns after it are there.
 */
const lineForm = /^\d+,(6|17),[\d.]+,[\d.]+,[\d.]+,([\d.]+),(\d+),([\d.]+),(\d+),[\d.]+,([A-Za-z0-9_.()-]{1,60}),(.*)$/
const nameForm = /^([^,]{1,253}),\d+,\d+,\d+,\d+,\d+,\d+,-?[\d.]+,/
const serverForm = /^[a-z0-9](?:[a-z0-9_.:-]{0,251}[a-z0-9])?$/

export function parseAnswer(text: string): ReadonlyMap<string, Detected> {
  const found = new Map<string, Detected>()
  const disputed = new Set<string>()
  for (const line of text.split('\n')) {
    const [, protocol, source, sourcePort, destination, destinationPort, name = '', rest = ''] =
      lineForm.exec(line) ?? []
    if (name === '' || name === 'Unknown') continue
    const key = connectionKey(
      protocol === '6' ? 'tcp' : 'udp',
      `${source}:${sourcePort}`,
      `${destination}:${destinationPort}`,
    )
    // Two lines about one connection: one of them could be the text of a third.
    const known = found.get(key)
    if (known !== undefined && known.name !== name) disputed.add(key)
    const plain = nameForm.exec(rest)?.[1]?.toLowerCase() ?? ''
    // SSH has its greeting there.
    const isHost = serverForm.test(plain) && !name.startsWith('SSH')
    found.set(key, { name, server: isHost ? plain : '' })
  }
  for (const key of disputed) found.delete(key)
  return found
}
