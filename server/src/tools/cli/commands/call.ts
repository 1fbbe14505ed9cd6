// gw get, post, put, patch and delete: any endpoint by its path, with fields read and checked by the contract before
// anything is sent.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Endpoint, eventStreamType, type Method } from '../../../core/contract/endpoint.ts'
import { type Api, type Call, parseReply, problemLines, withApi } from '../client/api.ts'
import { changeCall, printOutcome } from '../client/change-call.ts'
import { readUpload, writeDownload } from '../client/files.ts'
import type { Invocation, Run } from '../command.ts'
import type { Context } from '../context.ts'
import { allEndpoints } from '../contract/contracts.ts'
import { requireEndpoint } from '../contract/paths.ts'
import { asSchema, findField } from '../contract/schema.ts'
import { type Assignment, buildObject, parseAssignment, parseJsonText } from '../contract/values.ts'
import { badUsage, exitCodes } from '../failure.ts'
import { paint } from '../output/terminal.ts'
import { escapeText, showJson } from '../output/text.ts'

export const callCommand =
  (method: Method): Run =>
  async (invocation, context) => {
    const [target = '', ...args] = invocation.operands
    const { path, queries } = splitTarget(target)
    const endpoint = requireEndpoint(allEndpoints, method, path)
    const fields = args.map(parseAssignment)
    const inQuery = endpoint.body === null ? fields : []
    const output = invocation.value('output')
    const query = await readQuery(endpoint, [
      ...queries,
      ...invocation.values('query').map(parseAssignment),
      ...inQuery,
    ])
    const upload = await readUpload(endpoint, invocation, context)
    const body = await readBody(endpoint, endpoint.body === null ? [] : fields, invocation, context)
    const change = changeCall(endpoint, invocation)
    const call: Call = {
      path,
      query: { ...query, ...change.query },
      headers: change.headers,
      ...(body === undefined ? {} : { body }),
      ...(upload === undefined ? {} : { upload }),
    }
    if (endpoint.alsoReplies.includes(eventStreamType)) {
      if (output !== undefined) throw badUsage('This call does not end, so it cannot be written to a file.')
      await withApi(context, (api) => printEvents(api, endpoint, call, invocation, context))
      return exitCodes.done
    }
    const answer = await withApi(context, (api: Api) => api.send(endpoint, call))
    if (output === undefined) printOutcome(endpoint, answer, invocation, context.terminal)
    else {
      const path = writeDownload(context, output, answer.bytes)
      context.terminal.note(`Written: ${escapeText(path)}, ${answer.bytes.length} bytes.\n`)
    }
    return exitCodes.done
  }

/** One a line, as they come, until the gateway ends the stream or the command is interrupted. */
async function printEvents(
  api: Api,
  endpoint: Endpoint,
  call: Call,
  invocation: Invocation,
  { terminal }: Context,
): Promise<void> {
  for await (const { event, data } of api.follow(endpoint, call))
    terminal.out(
      invocation.has('json')
        ? `${showJson({ event, data: parseReply(data) })}\n`
        : `${paint(terminal, 'dim', escapeText(event))} ${escapeText(data)}\n`,
    )
}

/** A query may also follow the path, as in a browser. */
function splitTarget(target: string): { path: string; queries: Assignment[] } {
  if (!target.startsWith('/'))
    throw badUsage(`The path must begin with "/", as in /firewall/settings; "${target}" does not.`)
  const at = target.indexOf('?')
  if (at < 0) return { path: target, queries: [] }
  const queries = [...new URLSearchParams(target.slice(at + 1))].map(([name, text]) => ({ name, text, isJson: false }))
  return { path: target.slice(0, at), queries }
}

async function readQuery(endpoint: Endpoint, assignments: readonly Assignment[]): Promise<Record<string, string>> {
  if (assignments.length === 0) return {}
  const schema = asSchema(endpoint.query)
  const { value } = await checked(endpoint, endpoint.query, assignments)
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [
      name,
      findField(schema, name)?.['x-json-text'] ? JSON.stringify(entry) : String(entry),
    ]),
  )
}

async function readBody(
  endpoint: Endpoint,
  assignments: readonly Assignment[],
  invocation: Invocation,
  context: Context,
): Promise<unknown> {
  const data = invocation.value('data')
  if (endpoint.body === null) {
    if (data !== undefined) throw badUsage('This call does not take a body.')
    return undefined
  }
  const given = data === undefined ? {} : parseJsonText(await readData(data, context), '--data')
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given)
  if (!isObject && assignments.length > 0) throw badUsage('Fields can only be added to --data that is an object.')
  if (!isObject) {
    await refuseFaults(endpoint, endpoint.body, given)
    return given
  }
  return (await checked(endpoint, endpoint.body, assignments, given)).value
}

async function readData(data: string, { keyboard, workingDir }: Context): Promise<string> {
  if (data === '-' || data === '@-') return keyboard.readAll()
  if (!data.startsWith('@')) return data
  const path = resolve(workingDir, data.slice(1))
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw badUsage(`The file ${path} cannot be read: ${(error as Error).message}`)
  }
}

async function checked(endpoint: Endpoint, schema: object, assignments: readonly Assignment[], base: object = {}) {
  const built = buildObject(asSchema(schema), assignments, base)
  if (built.problems.length > 0) throw unfit(endpoint, problemLines(built.problems))
  await refuseFaults(endpoint, schema, built.value)
  return built
}

/** The same check as on the server, so that both report the same; it is loaded only for calls with a body or query. */
async function refuseFaults(endpoint: Endpoint, schema: object, value: unknown): Promise<void> {
  const { faultsOf } = await import('../../../core/validation/validate.ts')
  const faults = faultsOf(schema, value)
  if (faults.length > 0) throw unfit(endpoint, problemLines(faults))
}

const unfit = (endpoint: Endpoint, lines: readonly string[]) =>
  badUsage('Nothing was sent: some fields are invalid.', [...lines, `All fields: gw help ${endpoint.path}`])
