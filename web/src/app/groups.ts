// The nine groups of the rail: their words and icons, and which pages are in each.

import type { Access } from '@gateway/server/core/access'
import { type Group, groups, type PageEntry } from '../page.ts'
import type { IconName } from '../ui/icons.ts'
import { msg } from '../words.ts'

export const groupTitles: Readonly<Record<Group, string>> = {
  overview: msg('Overview'),
  policy: msg('Policy'),
  objects: msg('Objects'),
  protection: msg('Protection'),
  network: msg('Network'),
  mail: msg('Mail'),
  people: msg('People'),
  monitor: msg('Monitor'),
  system: msg('System'),
}

export const groupIcons: Readonly<Record<Group, IconName>> = {
  overview: 'overview',
  policy: 'policy',
  objects: 'objects',
  protection: 'protection',
  network: 'network',
  mail: 'mail',
  people: 'people',
  monitor: 'monitor',
  system: 'system',
}

export interface Section {
  readonly title: string
  /** Those that the role may open; the first is where the section leads. */
  readonly pages: readonly PageEntry[]
}

export interface RailGroup {
  readonly group: Group
  readonly sections: readonly Section[]
}

/** What the rail shows: what a role may not open is absent. */
export function railOf(pages: readonly PageEntry[], may: (access: Access) => boolean): readonly RailGroup[] {
  return groups.flatMap((group) => {
    const open = pages.filter((page) => page.group === group && may(page.access))
    const titles = [...new Set(open.map(({ section }) => section))]
    const sections = titles.map((title) => ({ title, pages: open.filter(({ section }) => section === title) }))
    return sections.length === 0 ? [] : [{ group, sections }]
  })
}

export const siblingsOf = (rail: readonly RailGroup[], path: string): readonly PageEntry[] =>
  rail.flatMap(({ sections }) => sections).find(({ pages }) => pages.some((page) => page.path === path))?.pages ?? []
