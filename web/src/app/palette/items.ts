// What the palette offers for what was typed: answers of its grammar first, then pages and actions by their words in the language
// of the person and in English. Pure, but for the words.

import type { Access } from '@gateway/server/core/access'
import { hasFullAccess, type Role } from '@gateway/server/core/access'
import type { PageEntry } from '../../page.ts'
import type { IconName } from '../../ui/icons.ts'
import { t } from '../../words.ts'
import { groupIcons, groupTitles } from '../groups.ts'
import { type Question, ruleTables } from './grammar.ts'

export type Act = 'put-back' | 'theme' | 'density' | 'language' | 'sign-out' | 'keys'

export interface Item {
  readonly id: string
  readonly title: string
  readonly hint: string
  readonly icon: IconName
  readonly to?: string
  readonly search?: Readonly<Record<string, string>>
  readonly act?: Act
  readonly value?: number
  /** Why it cannot be opened; such items are shown, so that one knows that they exist. */
  readonly needs?: string
}

export interface Band {
  readonly title: string
  readonly items: readonly Item[]
}

export interface Asker {
  readonly role: Role
  may(access: Access): boolean
  needs(access: Access): string
}

const unless = (asker: Asker, access: Access): Pick<Item, 'needs'> =>
  asker.may(access) ? {} : { needs: asker.needs(access) }

export function answersOf(question: Question, asker: Asker): readonly Item[] {
  switch (question.kind) {
    case 'address':
      return aboutAddress(question.address, question.isNetwork, asker)
    case 'trace': {
      const { protocol, source, destination, port } = question
      const to = port === null ? destination : `${destination}:${port}`
      return [
        {
          id: 'trace',
          icon: 'trace',
          to: 'policy/tracer',
          hint: t('Which rule decides, and why'),
          title: t('Trace {source} → {to}', { source, to }),
          search: { ...(protocol === null ? {} : { p: protocol }), s: source, d: to },
          ...unless(asker, 'view'),
        },
      ]
    }
    case 'rule':
      return ruleTables
        .filter((table) => question.table === null || question.table === table)
        .map((table) => ({
          id: `rule-${table}`,
          icon: 'rule' as const,
          to: `policy/rules/${table}/at-${question.id}`,
          hint: '',
          title: t('{table} rule {id}', { table: table.toUpperCase(), id: question.id }),
          ...unless(asker, 'view'),
        }))
    case 'block':
    case 'allow':
      return [ruleDraft(question.kind, question.address, asker)]
    case 'put-back':
      return [
        {
          id: 'put-back',
          icon: 'undo',
          act: 'put-back',
          value: question.revision,
          title: t('Revert the configuration to revision {revision}', { revision: question.revision }),
          hint: t('Shows first what would change'),
          ...unless(asker, 'configure'),
        },
        ...revisionItem(question.revision, asker),
      ]
    case 'revision':
      return revisionItem(question.revision, asker)
    case 'words':
      return []
  }
}

const revisionItem = (revision: number, asker: Asker): readonly Item[] => [
  {
    id: 'revision',
    icon: 'history',
    to: `system/history/${revision}`,
    hint: t('What it changed, by whom, why'),
    title: t('Revision {revision}', { revision }),
    ...unless(asker, 'view'),
  },
]

function ruleDraft(kind: 'block' | 'allow', address: string, asker: Asker): Item {
  return {
    id: kind,
    icon: kind === 'block' ? 'drop' : 'accept',
    to: 'policy/rules/forward/new',
    title: kind === 'block' ? t('Block {address}', { address }) : t('Allow {address}', { address }),
    hint: t('A new FORWARD rule, filled in for review'),
    search: { source: address, action: kind === 'block' ? 'drop' : 'accept' },
    ...unless(asker, 'firewall'),
  }
}

function aboutAddress(address: string, isNetwork: boolean, asker: Asker): readonly Item[] {
  const view = unless(asker, 'view')
  const host: Item = {
    id: 'host',
    icon: 'host',
    to: `overview/host/${address}`,
    title: t('Host {address}', { address }),
    hint: t('User, lease, names, sessions, refusals'),
    ...view,
  }
  const touching: Item = {
    id: 'touching',
    icon: 'rule',
    to: 'policy/rules/forward',
    search: { q: `touches:${address}` },
    title: t('Rules that touch it'),
    hint: t('Inside objects too'),
    ...view,
  }
  const log: Item = {
    id: 'log',
    icon: 'log',
    to: 'monitor/logs/firewall',
    search: { q: address },
    title: t('Firewall log of {address}', { address }),
    hint: '',
    ...unless(asker, 'reports'),
  }
  const trace: Item = {
    id: 'trace',
    icon: 'trace',
    to: 'policy/tracer',
    search: { s: address },
    title: t('Trace a packet from {address}', { address }),
    hint: '',
    ...view,
  }
  return isNetwork
    ? [touching, ruleDraft('block', address, asker)]
    : [host, touching, log, trace, ruleDraft('block', address, asker)]
}

/** How well words fit a text: 0 not at all; a word at the beginning counts more than one inside. */
export function fitOf(words: readonly string[], text: string): number {
  const lower = text.toLowerCase()
  let sum = 0
  for (const word of words) {
    const at = lower.indexOf(word)
    if (at < 0) return 0
    sum += at === 0 ? 3 : /[\s·,/(-]/.test(lower[at - 1] ?? '') ? 2 : 1
  }
  return sum / Math.max(1, words.length)
}

export function pageItems(
  pages: readonly PageEntry[],
  words: readonly string[],
  asker: Asker,
  usesOf: (id: string) => number,
): readonly Item[] {
  return pages
    .map((page) => ({ page, fit: words.length === 0 ? 1 : pageFit(page, words) }))
    .filter(({ fit }) => fit > 0)
    .map(({ page, fit }) => ({ item: pageItem(page, asker), fit: fit + Math.min(2, usesOf(`page:${page.path}`) / 2) }))
    .toSorted((a, b) => Number('needs' in a.item) - Number('needs' in b.item) || b.fit - a.fit)
    .map(({ item }) => item)
}

/** In both languages: who knows the English word finds the page in the Russian console too. */
function pageFit({ title, section, group, keywords = '' }: PageEntry, words: readonly string[]): number {
  const names = [t(title), title, `${t(section)} ${t(title)}`, `${section} ${title}`]
  const own = Math.max(...names.map((name) => fitOf(words, name)))
  const wide = fitOf(words, [...names, t(groupTitles[group]), groupTitles[group]].join(' · '))
  const loose = keywords === '' ? 0 : fitOf(words, [...names, keywords, t(keywords)].join(' · '))
  return Math.max(own * 2, wide, loose * 0.8)
}

const pageItem = (page: PageEntry, asker: Asker): Item => ({
  id: `page:${page.path}`,
  title: t(page.title),
  hint: [t(groupTitles[page.group]), ...(page.section === page.title ? [] : [t(page.section)])].join(' › '),
  icon: groupIcons[page.group],
  to: page.path,
  ...unless(asker, page.access),
})

export function actionItems(words: readonly string[], asker: Asker): readonly Item[] {
  const actions: readonly Item[] = [
    { id: 'act:theme', title: t('Switch light and dark'), hint: '', icon: 'theme', act: 'theme' },
    { id: 'act:density', title: t('Switch compact and roomy rows'), hint: '', icon: 'density', act: 'density' },
    { id: 'act:language', title: t('Switch English and Russian'), hint: '', icon: 'language', act: 'language' },
    { id: 'act:keys', title: t('Show all keys'), hint: '?', icon: 'keyboard', act: 'keys' },
    {
      id: 'act:new-rule',
      icon: 'add',
      to: 'policy/rules/forward/new',
      hint: '',
      title: t('Add a FORWARD rule'),
      ...unless(asker, 'firewall'),
    },
    { id: 'act:sign-out', title: t('Sign out'), hint: '', icon: 'signout', act: 'sign-out' },
    { id: 'act:reference', title: t('Open the API reference'), hint: '', icon: 'reference', to: '/docs' },
  ]
  return words.length === 0 ? [] : actions.filter(({ title }) => fitOf(words, title) > 0)
}

/** Only the full administrator reverts everything; others undo their own. */
export const mayPutBack = (role: Role): boolean => hasFullAccess(role)
