// A web request as the message that collectors get (docs/behaviour/logs.md 5). What clients and sites sent can end neither a
// quoted value nor the message.

import type { KeptRecord } from './record.ts'
import { storedCell } from './show.ts'

const quoted = (text: string): string =>
  text === '' ? '"-"' : `"${text.replaceAll('"', '%22').replaceAll('\\', '%5C')}"`

/** Between spaces. */
const word = (text: string): string => quoted(text.replaceAll(/\s+/g, '%20')).slice(1, -1)

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `16/Nov/2026:20:30:28 +0100`, from ISO 8601 with an offset. */
const dateOf = (clock: string): string =>
  `${clock.slice(8, 10)}/${months[Number(clock.slice(5, 7)) - 1]}/${clock.slice(0, 4)}:${clock.slice(11, 19)} ` +
  clock.slice(-6).replace(':', '')

/** `clock`: the time of the record in ISO 8601 with an offset. */
export function webMessage(record: KeptRecord, clock: string): string {
  const text = (column: string): string => String(storedCell(record, column))
  const amount = (column: string): string => String(Math.max(0, Number(storedCell(record, column))))
  const [virus, dictionary] = [text('virus'), text('dictionary')]
  const request = `${word(text('method'))} ${word(text('url'))} HTTP/1.1`
  const values = {
    av_name: virus === '' ? '' : 'clamav',
    av_object_infected: virus === '' ? '' : 'yes',
    av_object_size: virus === '' ? '' : amount('bytes_received'),
    av_virus_name: virus,
    x_infection_found: virus,
    x_virus_id: virus,
    x_av_verifed: '',
    'morph-action': dictionary === '' ? '' : text('result'),
    'morph-dict-id': dictionary,
  }
  const rest = Object.entries(values).map(([name, value]) => `"${name}": ${quoted(value)}`)
  return (
    `{${word(text('source_ip'))} - - [${dateOf(clock)}] "${request}" ${amount('status')} ${amount('bytes_received')} ` +
    `${quoted(text('referer'))} ${quoted(text('user_agent'))} ${word(text('result'))} "-",${rest.join(',')}}`
  )
}
