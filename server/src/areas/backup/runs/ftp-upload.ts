// Puts one file on an FTP server (RFC 959, in the clear: what goes there is sealed already). The protocol is spoken by
// basic-ftp; this file has the order of steps, the time limits and the error messages. Nothing that a server
// says is trusted: it is cut, cleaned and never shown with the password in it.

import type { Readable } from 'node:stream'
import { Client, FTPError } from 'basic-ftp'
import { type SaidText, say, verbatim } from '../../../shared/said.ts'

export interface FtpTarget {
  /** Resolved by the caller, once: nothing here asks DNS again. */
  readonly address: string
  readonly port?: number
  readonly login: string
  readonly password: string
  readonly folder: string
}

export interface UploadFile {
  /** Of our own making: letters, digits, dots, hyphens. */
  readonly name: string
  readonly size: number
  read(): Promise<Readable>
}

export interface FtpLimits {
  /** How long the server may be silent. */
  readonly idleMs: number
  /** How long all of it may take. */
  readonly wholeMs: number
}

const defaultLimits: FtpLimits = { idleMs: 30_000, wholeMs: 15 * 60_000 }

/** The message is a sentence for the administrator. */
export class UploadError extends Error {
  declare readonly message: SaidText
  constructor(message: SaidText, options?: ErrorOptions) {
    super(message, options)
  }
}

type Step = 'connect' | 'login' | 'folder' | 'store' | 'name'

/** Under another name until it is whole, so that a half file is never taken for a backup. */
export async function uploadByFtp(
  target: FtpTarget,
  file: UploadFile,
  { idleMs, wholeMs }: FtpLimits = defaultLimits,
): Promise<void> {
  const client = new Client(idleMs, { allowSeparateTransferHost: false })
  const timer = setTimeout(() => client.ftp.closeWithError(new Error('Timeout (whole upload)')), wholeMs)
  const part = `${file.name}.part`
  let step: Step = 'connect'
  try {
    await client.connect(target.address, target.port ?? 21)
    step = 'login'
    await client.login(target.login, target.password)
    await client.useDefaultSettings()
    step = 'folder'
    await client.cd(target.folder)
    step = 'store'
    await client.uploadFrom(await contentOf(file), part)
    await checkSize(client, part, file.size)
    step = 'name'
    // Left there by an upload whose last answer was lost; some servers do not rename over it.
    await client.sendIgnoringError(`DELE ${file.name}`)
    await client.rename(part, file.name)
  } catch (error) {
    await removeQuietly(client, step, part)
    throw new UploadError(reasonFor(error, step, target))
  } finally {
    clearTimeout(timer)
    client.close()
  }
}

/** A fault of our own disk is not one of the server. */
const contentOf = (file: UploadFile): Promise<Readable> =>
  file.read().catch((error: Error) => {
    throw new UploadError(verbatim(error.message))
  })

/** Not every server reports a size; one that does must report the right one. */
async function checkSize(client: Client, name: string, size: number): Promise<void> {
  const { code, message } = await client.sendIgnoringError(`SIZE ${name}`)
  const reported = code === 213 ? /^213 (\d{1,15})$/.exec(message.trim())?.[1] : undefined
  if (reported !== undefined && Number(reported) !== size)
    throw new UploadError(say`The server stored only part of the file.`)
}

async function removeQuietly(client: Client, step: Step, name: string): Promise<void> {
  if (client.closed || (step !== 'store' && step !== 'name')) return
  await client.sendIgnoringError(`DELE ${name}`).catch(() => {})
}

const socketWords: Readonly<Record<string, SaidText>> = {
  ECONNREFUSED: say`The server refuses the connection: the port is closed.`,
  EHOSTUNREACH: say`There is no route to the server.`,
  ENETUNREACH: say`There is no route to the server.`,
  ETIMEDOUT: say`The server did not answer in time.`,
}

function reasonFor(error: unknown, step: Step, { folder, password }: FtpTarget): SaidText {
  if (error instanceof UploadError) return error.message
  if (error instanceof FTPError) return say`${answerWords(error.code, step, folder)} ${quoted(error.message, password)}`
  const { code, message } = error as NodeJS.ErrnoException
  if (code !== undefined && code in socketWords) return socketWords[code] ?? ''
  if (message.includes('Timeout')) return say`The server did not answer in time.`
  if (message.includes('PASV returned another host'))
    return say`The server asked to send the file to another address, which is not allowed.`
  if (message.includes('transfer strategies'))
    return say`The data connection could not be opened; a firewall may block it.`
  return step === 'connect'
    ? say`The server does not answer as an FTP server does.`
    : say`The server closed the connection.`
}

/** RFC 959, 4.2; servers differ in which of the codes they choose when a disk is full. */
function answerWords(code: number, step: Step, folder: string): SaidText {
  if (code === 421) return say`The server accepts no more connections now.`
  if (step === 'connect') return say`The server refuses the connection.`
  if (step === 'login') return say`The server refuses the login or the password.`
  if (step === 'folder') return say`The folder ${folder} does not exist or cannot be entered.`
  if ([426, 451, 452, 552].includes(code)) return say`The server could not write the file: its disk may be full.`
  return step === 'store'
    ? say`The server does not allow writing to this folder.`
    : say`The server does not allow renaming the file.`
}

const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu
const maxQuoted = 120

/** What the server said, as one short line; it may have said the password. */
function quoted(text: string, password: string): SaidText {
  const line = text
    .replaceAll(password, '***')
    .replaceAll(unprintable, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, maxQuoted)
  return say`It says: ${line}`
}
