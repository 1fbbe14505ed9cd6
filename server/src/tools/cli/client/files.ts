// Bodies that are files: what an upload sends (--file) and where a download goes (--output). Bytes stay as they are.

import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { Endpoint } from '../../../core/contract/endpoint.ts'
import type { Invocation } from '../command.ts'
import type { Context } from '../context.ts'
import { badUsage, refused } from '../failure.ts'

export interface Upload {
  readonly bytes: Buffer
  readonly contentType: string
}

/** What --file names, in the form the call takes; undefined for a call that takes fields. */
export async function readUpload(
  endpoint: Endpoint,
  invocation: Invocation,
  context: Context,
): Promise<Upload | undefined> {
  const path = invocation.value('file')
  const { rawBodyType, formField } = endpoint
  if (rawBodyType === null) {
    if (path !== undefined) throw badUsage('This call does not take a file. Use fields or --data.')
    return undefined
  }
  if (invocation.value('data') !== undefined || path === undefined)
    throw badUsage('This call needs a file. Use --file PATH, or --file - for standard input.')
  const content = path === '-' ? await context.keyboard.readBytes() : readBounded(context, path, endpoint)
  if (content.length > endpoint.bodyLimitBytes) throw tooLarge(content.length, endpoint)
  if (formField === null) return { bytes: content, contentType: rawBodyType }
  return asForm(content, formField, path === '-' ? 'file' : basename(path), rawBodyType)
}

/** Not even read when it would be refused for its size: the gateway closes the connection on a body that is too large. */
function readBounded({ workingDir }: Context, given: string, endpoint: Endpoint): Buffer {
  const path = resolve(workingDir, given)
  try {
    const { size } = statSync(path)
    if (size <= endpoint.bodyLimitBytes) return readFileSync(path)
    throw tooLarge(size, endpoint)
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code) throw error
    throw badUsage(`The file ${path} cannot be read: ${(error as Error).message}`)
  }
}

const tooLarge = (bytes: number, { bodyLimitBytes, tooLargeMessage }: Endpoint) =>
  refused(
    tooLargeMessage ?? `Nothing was sent: the file has ${bytes} bytes, and this call takes at most ${bodyLimitBytes}.`,
  )

/** One field of a multipart form (RFC 7578). A boundary of 32 random letters does not occur in any file. */
function asForm(content: Buffer, field: string, fileName: string, type: string): Upload {
  const boundary = randomBytes(16).toString('hex')
  const shown = fileName.replaceAll(/[^A-Za-z0-9._-]/g, '_')
  const head =
    `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${shown}"\r\n` +
    'Content-Type: application/octet-stream\r\n\r\n'
  return {
    bytes: Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    contentType: `${type}; boundary=${boundary}`,
  }
}

/** Written atomically and readable by its owner only: a backup contains secrets. */
export function writeDownload({ workingDir }: Pick<Context, 'workingDir'>, given: string, bytes: Buffer): string {
  const path = resolve(workingDir, given)
  const temporary = `${path}.${process.pid}.part`
  try {
    writeFileSync(temporary, bytes, { mode: 0o600, flag: 'wx' })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw refused(`The answer could not be written to ${path}: ${(error as Error).message}`)
  }
  return path
}
