// dig from a namespace of the lab: what was answered, as a client sees it.

import type { LabGateway } from './lab-gateway.ts'

export interface Answer {
  /** NOERROR, NXDOMAIN, REFUSED ...; null when there was no answer. */
  readonly status: string | null
  readonly flags: readonly string[]
  /** `TYPE data` of each record of the answer, in its order. */
  readonly records: readonly string[]
  /** Seconds of the first record. */
  readonly ttl: number | null
}

export interface Question {
  readonly from?: string
  readonly server?: string
  readonly type?: string
  readonly tcp?: boolean
  readonly options?: readonly string[]
}

const patience = ['+time=15', '+tries=3']

export async function dig(gateway: LabGateway, name: string, question: Question = {}): Promise<Answer> {
  const { from = 'client', server = '10.10.0.1', type = 'A', tcp = false, options = [] } = question
  const words = [`@${server}`, ...patience, tcp ? '+tcp' : '+notcp', ...options, name, type]
  const { stdout } = await gateway.exec(from, ['/usr/bin/dig', ...words])
  return readAnswer(stdout)
}

export function readAnswer(text: string): Answer {
  const section = /;; ANSWER SECTION:\n((?:.+\n)*)/.exec(text)?.[1] ?? ''
  const rows = section.split('\n').filter((line) => line !== '')
  const fields = rows.map((line) => line.split(/\s+/))
  return {
    status: /status: ([A-Z]+)/.exec(text)?.[1] ?? null,
    flags: /;; flags: ([a-z ]*);/.exec(text)?.[1]?.split(' ') ?? [],
    records: fields.map(([, , , type, ...data]) => `${type} ${data.join(' ')}`),
    ttl: fields[0] ? Number(fields[0][1]) : null,
  }
}

export const addressesIn = ({ records }: Answer): string[] =>
  records.filter((record) => record.startsWith('A ')).map((record) => record.slice(2))
