// gw revisions, revisions show, revert, confirm and put-back: the history of the configuration.

import {
  confirmChange,
  listRevisions,
  putBackChange,
  revertToRevision,
  showProbation,
  showRevision,
} from '../../../areas/configuration/contract.ts'
import { withApi } from '../client/api.ts'
import { changeCall, printOutcome } from '../client/change-call.ts'
import { type Run, readNumber } from '../command.ts'
import { exitCodes } from '../failure.ts'
import { readLimit } from '../limit.ts'
import { printChanges } from '../output/changes.ts'
import { showPairs, showTable } from '../output/table.ts'
import { escapeText, showJson } from '../output/text.ts'
import { showTime } from '../output/time.ts'

export const listRevisionsCommand: Run = async (invocation, context) => {
  const { terminal } = context
  const query = readLimit(invocation, listRevisions)
  const revisions = await withApi(context, (api) => api.ask(listRevisions, { query }))
  if (invocation.has('json')) terminal.out(`${showJson(revisions, 2)}\n`)
  else {
    const columns = ['revision', 'time (utc)', 'author', 'address', 'reason']
    const rows = revisions.map(({ revision, time, author, address, reason }) => [
      String(revision),
      showTime(time),
      author,
      address,
      reason,
    ])
    terminal.out(showTable({ columns, rows }, terminal))
  }
  return exitCodes.done
}

const pathFor = (path: string, number: string): string =>
  path.replace(':revision_id', String(readNumber(number, 'The revision', 0, Number.MAX_SAFE_INTEGER)))

export const showRevisionCommand: Run = async (invocation, context) => {
  const { terminal } = context
  const [number = ''] = invocation.operands
  const path = pathFor(showRevision.path, number)
  const revision = await withApi(context, (api) => api.ask(showRevision, { path }))
  if (invocation.has('json')) terminal.out(`${showJson(revision, 2)}\n`)
  else {
    const { author, address, reason, time } = revision
    const head: [string, string][] = [
      ['revision', String(revision.revision)],
      ['time', `${showTime(time)} UTC`],
      ['author', `${author} from ${address}`],
      ['reason', reason],
    ]
    terminal.out(`${showPairs(head, terminal)}\n`)
    printChanges(revision.changes, terminal)
  }
  return exitCodes.done
}

export const revertCommand: Run = async (invocation, context) => {
  const [number = ''] = invocation.operands
  const path = pathFor(revertToRevision.path, number)
  const change = changeCall(revertToRevision, invocation)
  const answer = await withApi(context, (api) => api.send(revertToRevision, { path, ...change }))
  printOutcome(revertToRevision, answer, invocation, context.terminal)
  return exitCodes.done
}

export const confirmCommand: Run = async (_invocation, context) => {
  const waiting = await withApi(context, async (api) => {
    const probation = await api.ask(showProbation)
    await api.send(confirmChange)
    return probation.waiting
  })
  context.terminal.note(`Confirmed: revision ${waiting?.revision ?? ''} stays.\n`)
  return exitCodes.done
}

export const putBackCommand: Run = async (_invocation, context) => {
  const waiting = await withApi(context, async (api) => {
    const probation = await api.ask(showProbation)
    await api.send(putBackChange)
    return probation.waiting
  })
  const author = waiting === null ? '' : ` of ${escapeText(waiting.author)}`
  context.terminal.note(`Reverted: revision ${waiting?.revision ?? ''}${author}.\n`)
  return exitCodes.done
}
