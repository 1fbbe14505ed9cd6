// The options every change of the configuration takes (dry run, cut connections, confirm-or-revert, reason, If-Match), as they
// go on the wire, and how the outcome of a call is shown.

import type { Endpoint } from '../../../core/contract/endpoint.ts'
import { plainText } from '../../../core/contract/fields.ts'
import { type Invocation, readNumber } from '../command.ts'
import { asSchema } from '../contract/schema.ts'
import { badUsage, refused } from '../failure.ts'
import { isDryRun, printDryRun } from '../output/changes.ts'
import { printReply } from '../output/reply.ts'
import type { Terminal } from '../output/terminal.ts'
import { escapeLines, escapeText, showJson } from '../output/text.ts'
import { parseReply } from './api.ts'
import type { Answer } from './connection.ts'

export interface ChangeCall {
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}

const steering = ['dry-run', 'cut-connections', 'confirm', 'reason', 'if-match'] as const
/** core/config/probation.ts, probationSeconds. */
const longestConfirmSeconds = 3600
/** gatewayd/http/request.ts, readReason. */
const longestReason = 255

export function changeCall(endpoint: Endpoint, invocation: Invocation): ChangeCall {
  if (endpoint.effect !== 'configuration') {
    const used = steering.find((name) => invocation.has(name) || invocation.value(name) !== undefined)
    if (used !== undefined) throw badUsage(`This call does not change the configuration and does not take --${used}.`)
    return { query: {}, headers: {} }
  }
  const confirm = invocation.value('confirm')
  const reason = invocation.value('reason')
  const ifMatch = invocation.value('if-match')
  return {
    query: {
      ...(invocation.has('dry-run') ? { dry_run: 'true' } : {}),
      ...(invocation.has('cut-connections') ? { cut_connections: 'true' } : {}),
    },
    headers: {
      ...(confirm === undefined
        ? {}
        : { 'portcullis-confirm-within': String(readNumber(confirm, '--confirm', 1, longestConfirmSeconds)) }),
      ...(reason === undefined ? {} : { 'portcullis-reason': reasonHeader(reason) }),
      ...(ifMatch === undefined ? {} : { 'if-match': quoted(ifMatch) }),
    },
  }
}

/** UTF-8 bytes in the Latin-1 that headers are made of. */
function reasonHeader(reason: string): string {
  if (reason === '' || [...reason].length > longestReason || !new RegExp(plainText, 'u').test(reason)) {
    throw badUsage(`--reason must be one line of at most ${longestReason} characters.`)
  }
  return Buffer.from(reason, 'utf8').toString('latin1')
}

/** The quotes of an ETag are easily lost to the shell. */
const quoted = (etag: string): string => (etag === '*' || etag.startsWith('"') ? etag : `"${etag}"`)

export function printOutcome(endpoint: Endpoint, answer: Answer, invocation: Invocation, terminal: Terminal): void {
  const { headers, text, bytes } = answer
  const isJson = headers['content-type']?.startsWith('application/json') ?? false
  const isFile = headers['content-type']?.startsWith('application/octet-stream') ?? false
  if (isFile && terminal.isTerminal)
    throw refused('The answer is a file. Use --output PATH to save it, or pipe it to a program.')
  if (!isJson && !terminal.isTerminal) terminal.out(bytes)
  else if (!isJson) terminal.out(escapeLines(text))
  else if (invocation.has('json')) terminal.out(`${showJson(parseReply(text), 2)}\n`)
  else printJsonReply(endpoint, text, terminal)
  if (invocation.has('etag')) terminal.note(`ETag: ${escapeText(headers.etag ?? '(none)')}\n`)
  printRevision(headers, terminal)
}

function printJsonReply(endpoint: Endpoint, text: string, terminal: Terminal): void {
  const reply = parseReply(text)
  if (isDryRun(reply)) printDryRun(reply, terminal)
  else printReply(reply, terminal, asSchema(endpoint.reply))
}

function printRevision(headers: Answer['headers'], terminal: Terminal): void {
  const revision = headers['portcullis-revision']
  const deadline = headers['portcullis-confirm-before']
  const reverted = headers['portcullis-reverted']
  const cut = headers['x-cut-connections']
  const warning = headers['x-cut-connections-warning']
  if (revision === undefined) return
  terminal.note(`Done. The configuration is at revision ${escapeText(String(revision))}.\n`)
  if (cut !== undefined) terminal.note(`Connections that were cut: ${escapeText(String(cut))}.\n`)
  if (warning !== undefined) terminal.note(`Warning: ${escapeText(String(warning))}\n`)
  if (reverted !== undefined)
    terminal.note(`Revision ${escapeText(String(reverted))} was waiting for confirmation and was reverted first.\n`)
  if (deadline !== undefined) {
    terminal.note(`The change is reverted at ${escapeText(String(deadline))} unless you run: gw confirm\n`)
  }
}
