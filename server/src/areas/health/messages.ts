// The words of a notification, for a mail and for a webhook. Pure. Text of checks may contain anything; a subject has none of it.

import type { Notice } from '../../core/contract/health.ts'

export interface Sender {
  readonly brand: string
  readonly hostName: string
}

const levels = ['ok', 'warning', 'failed'] as const
const words = { failed: 'Failed', recovered: 'Recovered' } as const

const timeOf = (unixSeconds: number): string => new Date(unixSeconds * 1000).toISOString()

/** One line of printable text, short enough for a subject. */
const plain = (text: string): string => text.replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]+/gu, ' ').slice(0, 100)

/** What is shown of one notice: a state in words, or that a warning became what it is. */
const heading = ({ kind, change }: Notice): string =>
  kind === 'recovered' || change.level === 2 ? words[kind] : 'Warning'

export function mailOf(notices: readonly Notice[], { brand, hostName }: Sender): { subject: string; text: string } {
  const [first] = notices
  const more = notices.length > 1 ? ` and ${notices.length - 1} more` : ''
  const what = first ? `${heading(first)}: ${plain(first.change.title)}${more}` : 'Test'
  const parts = notices.map((notice) => {
    const { title, message, advice, time } = notice.change
    const lines = [`${heading(notice)}: ${title}`, `At ${timeOf(time)}. ${message}`]
    return [...lines, ...(notice.kind === 'failed' && advice !== '' ? [`What to do: ${advice}`] : [])].join('\n')
  })
  const body = first ? parts.join('\n\n') : 'This is a test message. Notifications of this gateway arrive here.'
  return {
    subject: `[${plain(brand)} ${plain(hostName)}] ${what}`,
    text: `${body}\n\nThis message was sent by the gateway ${hostName}.\n`,
  }
}

export const webhookBodyOf = (notices: readonly Notice[], { hostName }: Sender): string =>
  JSON.stringify({
    gateway: hostName,
    is_test: notices.length === 0,
    notices: notices.map(({ id, number, kind, change }) => ({
      id,
      number,
      kind,
      check: change.id,
      title: change.title,
      state: levels[change.level],
      time: change.time,
      message: change.message,
      advice: change.advice,
    })),
  })
