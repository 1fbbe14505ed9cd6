// Objects, rules and users that fit what was typed, read when they are asked for.

import type { ReplyOf } from '@gateway/server/contract'
import { listTouching } from '@gateway/server/contract/firewall'
import { listAll } from '@gateway/server/contract/objects'
import { searchUsers } from '@gateway/server/contract/users'
import { useRead } from '../../api/reads.ts'
import { useRuleNumbers } from '../../api/rule-numbers.ts'
import type { IconName } from '../../ui/icons.ts'
import { sayNumber } from '../../util/rule-numbers.ts'
import { t } from '../../words.ts'
import type { Question } from './grammar.ts'
import { type Asker, type Band, fitOf, type Item } from './items.ts'

const most = 6
const shortest = 2

type AnyObject = ReplyOf<typeof listAll>[number]

const kindIcons: Readonly<Record<string, IconName>> = {
  ip: 'address',
  subnet: 'subnet',
  ip_range: 'range',
  domain: 'domain',
  port: 'port',
  port_range: 'port',
  zone: 'zone',
  time: 'time',
  time_list: 'time',
  country: 'country',
}

const describe = ({ value, start, end, comment }: AnyObject): string =>
  [value ?? (start === undefined ? null : `${start} – ${end}`), comment].filter(Boolean).join(' · ')

/** What an administrator made: the fixed ones have no page. */
const isOwn = ({ id, type }: AnyObject): boolean => /\.id\.\d+$/.test(id) && type !== 'country'

export function useFound(question: Question, asker: Asker): readonly Band[] {
  const words = question.kind === 'words' ? question.words : []
  const text = words.join(' ')
  const isAsked = text.length >= shortest && asker.may('view')
  const address = question.kind === 'address' ? question.address : null
  const objects = useRead(listAll, { isEnabled: isAsked })
  const users = useRead(searchUsers, { query: { search: text.slice(0, 128), limit: most }, isEnabled: isAsked })
  const touching = useRead(listTouching, {
    query: { address: address ?? '0.0.0.0' },
    isEnabled: address !== null && asker.may('view'),
  })
  const numberOf = useRuleNumbers(
    address === null ? [] : [...new Set(touching.data?.data.slice(0, most).map(({ table }) => table))],
  )
  const bands: Band[] = []
  if (isAsked && objects.data) {
    const items = objects.data.data
      .filter(isOwn)
      .map((object) => ({ object, fit: fitOf(words, `${object.title} · ${describe(object)}`) }))
      .filter(({ fit }) => fit > 0)
      .toSorted((a, b) => b.fit - a.fit)
      .slice(0, most)
      .map(({ object }) => objectItem(object))
    bands.push({ title: t('Objects'), items })
  }
  if (isAsked && users.data) {
    const items = users.data.data.users.map(
      ({ id, name, login }): Item => ({
        id: `user:${id}`,
        title: name,
        hint: login,
        icon: 'user',
        to: `people/users/${id}`,
      }),
    )
    bands.push({ title: t('Users'), items })
  }
  if (address !== null && touching.data) {
    const items = touching.data.data.slice(0, most).map(
      ({ table, id, source }): Item => ({
        id: `touching:${table}:${id}`,
        icon: 'rule',
        to: `policy/rules/${table}/${id}`,
        title: t('{table} rule {id}', { table: table.toUpperCase(), id: sayNumber(numberOf(table, id), id) }),
        hint: source === 'named' ? t('as source') : t('as destination'),
      }),
    )
    bands.push({ title: t('Rules that touch it'), items })
  }
  return bands.filter(({ items }) => items.length > 0)
}

const objectItem = (object: AnyObject): Item => ({
  id: `object:${object.id}`,
  title: object.title,
  hint: describe(object),
  icon: kindIcons[object.type] ?? 'objects',
  to: `objects/${object.id}`,
})
