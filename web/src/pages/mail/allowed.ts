// Senders and hosts whose mail is allowed.

import { allowed } from '@gateway/server/contract/mail'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

const kinds: Readonly<Record<number, string>> = { 1: msg('Domain'), 2: msg('IP address'), 3: msg('Mail address') }

export const page = collectionPage({
  endpoints: allowed,
  itemName: msg('allowed address'),
  title: ({ address }) => address,
  columns: ['address', { id: 'type', width: 140, text: ({ type }) => kinds[type] ?? '' }, 'comment'],
  fields: { type: { isHidden: true } },
  empty: { text: msg('Mail from these domains, addresses and hosts is always accepted.') },
})
