// What a person types: passwords without echo, yes or no, and whole input that comes through a pipe.

import { refused } from './failure.ts'

export interface Keyboard {
  /** Whether a user can be prompted. */
  readonly isTerminal: boolean
  askSecret(question: string): Promise<string>
  /** A line as it was typed, without spaces around it. `signal` ends the question. */
  askLine(question: string, signal?: AbortSignal): Promise<string>
  /** True only for a plain yes. */
  askYes(question: string): Promise<boolean>
  readAll(): Promise<string>
  /** The same for binary input. */
  readBytes(): Promise<Buffer>
}

export interface InputStream extends AsyncIterable<Buffer | string> {
  readonly isTTY?: boolean
  setRawMode?(isRaw: boolean): unknown
  on(event: 'data', listener: (chunk: Buffer) => void): unknown
  on(event: 'end', listener: () => void): unknown
  off(event: 'data', listener: (chunk: Buffer) => void): unknown
  off(event: 'end', listener: () => void): unknown
  resume(): unknown
  pause(): unknown
}

const keys = { enter: '\r', newline: '\n', interrupt: '\u0003', end: '\u0004', clear: '\u0015' } as const
const erasers: readonly string[] = ['\u0008', '\u007f']

export function createKeyboard(stdin: InputStream, ask: (question: string) => void): Keyboard {
  const readBytes = async (): Promise<Buffer> => {
    const chunks: Buffer[] = []
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk))
    return Buffer.concat(chunks)
  }
  return {
    isTerminal: stdin.isTTY === true,
    askSecret: async (question) => {
      ask(question)
      try {
        return await readLine(stdin, true)
      } finally {
        ask('\n')
      }
    },
    askLine: async (question, signal) => {
      ask(question)
      return (await readLine(stdin, false, signal)).trim()
    },
    askYes: async (question) => {
      ask(question)
      return /^y(es)?$/i.test((await readLine(stdin, false)).trim())
    },
    readAll: async () => (await readBytes()).toString('utf8'),
    readBytes,
  }
}

/** One line; a secret is read key by key with the terminal's echo off. */
async function readLine(stdin: InputStream, isSecret: boolean, signal?: AbortSignal): Promise<string> {
  if (isSecret) stdin.setRawMode?.(true)
  try {
    return await gatherLine(stdin, signal)
  } finally {
    if (isSecret) stdin.setRawMode?.(false)
    stdin.pause()
  }
}

function gatherLine(stdin: InputStream, signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const decoder = new TextDecoder()
    let typed: string[] = []
    const finish = (settle: () => void): void => {
      signal?.removeEventListener('abort', onAbort)
      stdin.off('data', onData)
      stdin.off('end', onEnd)
      settle()
    }
    const onAbort = (): void => finish(() => reject(refused('Interrupted.')))
    const onEnd = (): void => finish(() => resolve(typed.join('')))
    const onData = (chunk: Buffer): void => {
      for (const key of decoder.decode(chunk, { stream: true })) {
        if (key === keys.enter || key === keys.newline || key === keys.end) {
          onEnd()
          return
        }
        if (key === keys.interrupt) {
          finish(() => reject(refused('Interrupted.')))
          return
        }
        if (key === keys.clear) typed = []
        else if (erasers.includes(key)) typed.pop()
        else typed.push(key)
      }
    }
    if (signal?.aborted) {
      reject(refused('Interrupted.'))
      return
    }
    signal?.addEventListener('abort', onAbort)
    stdin.on('data', onData)
    stdin.on('end', onEnd)
    stdin.resume()
  })
}
