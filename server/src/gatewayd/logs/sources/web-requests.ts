// Lines of the access log of the web proxy as records of the log. The message that collectors get is made when it is sent
// (domain/logs/web-message.ts): stored, it would say again what the columns say.

import { counted } from '../../../core/contract/counted.ts'
import type { NewRecord } from '../../../domain/logs/record.ts'
import { type FollowedFile, infoPriority, warningPriority } from '../../../domain/logs/source.ts'
import { parseAccessLine, type WebRequest } from '../../../domain/web-filter/access-line.ts'
import type { HitKnowledge } from './hit-knowledge.ts'

export const webSource = 'web'

/** The proxy is known by this name, whatever the product is called. */
const program = { unit: 'squid', syslogId: 'squid' }

export interface WebAccessFile {
  readonly path: string
  readonly knowledge: Pick<HitKnowledge, 'personAt'>
  /** Unix milliseconds. */
  readonly now: () => number
}

export function webAccessFile({ path, knowledge, now }: WebAccessFile): FollowedFile {
  const note = (message: string): NewRecord => ({
    kind: 'brief',
    time: now() * 1000,
    priority: warningPriority,
    ...program,
    message,
    fields: {},
  })
  return {
    path,
    source: webSource,
    // Everything that is kept is read: the file itself has a limit.
    maxBacklogBytes: Number.POSITIVE_INFINITY,
    records: (bytes) => {
      const records: NewRecord[] = []
      let faults = 0
      for (const line of bytes.toString('latin1').split('\n')) {
        if (line === '') continue
        const read = parseAccessLine(line)
        if (read.is === 'request') records.push(webRecord(read.request, knowledge))
        else if (read.is === 'fault') faults++
      }
      if (faults > 0)
        records.push(note(`${counted(faults, 'line')} of the access log of the web proxy could not be read.`))
      return records
    },
    lost: (lines) =>
      note(
        `${counted(lines, 'line')} of the access log of the web proxy could not be read: there were too many at once.`,
      ),
  }
}

/** The name and the group of the user are those of the session at that time. */
export function webRecord(request: WebRequest, knowledge: Pick<HitKnowledge, 'personAt'>): NewRecord {
  const { time, source, login } = request
  const person = knowledge.personAt(source, time)
  const known = person && (login === '' || person.login === login) ? person : null
  return {
    kind: 'web',
    time,
    priority: infoPriority,
    ...program,
    message: '',
    fields: {
      source_ip: source,
      destination_ip: request.destination,
      user_id: request.userId,
      user_login: login || (known?.login ?? ''),
      user_name: known?.name ?? '',
      group: known?.group ?? '',
      method: request.method,
      scheme: request.scheme,
      host: request.host,
      url: request.url,
      categories: request.categories.map((id) => `${id};`).join(''),
      rule_id: request.ruleId,
      result: request.result,
      reason: request.reason,
      decrypted: request.isDecrypted ? 'yes' : 'no',
      status: request.status,
      bytes_sent: request.bytesSent,
      bytes_received: request.bytesReceived,
      duration_ms: request.durationMs,
      content_type: request.contentType,
      dictionary: request.dictionary,
      virus: request.virus,
      user_agent: request.userAgent,
      via: request.via,
      referer: request.referer,
    },
  }
}
