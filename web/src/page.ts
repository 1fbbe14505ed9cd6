// What a page is to the shell: an entry with its place, and a module that is loaded when it is opened.

import type { Access } from '@gateway/server/core/access'
import type { ComponentType } from 'react'
import type { ContractPage } from './contract/define.ts'

export const groups = [
  'overview',
  'policy',
  'objects',
  'protection',
  'network',
  'mail',
  'people',
  'monitor',
  'system',
] as const
export type Group = (typeof groups)[number]

export interface PageEntry {
  /** Below /ui/, such as `network/dhcp/leases`; what follows it in the address is the open item. */
  readonly path: string
  readonly group: Group
  /** Pages of one section are tabs beside each other; the section is what the rail and the palette show. */
  readonly section: string
  readonly title: string
  /** Who may open it. */
  readonly access: Access
  /** More words for the palette. */
  readonly keywords?: string
  readonly load: () => Promise<{ readonly page: ContractPage | HandPage }>
}

/** A page written by hand. */
export interface HandPage {
  readonly kind: 'hand'
  readonly Component: ComponentType
}
