// Categories of the content filter as people read them. Names of fixed categories are translated by the catalog; own ones stay
// as they were written.

import { heard, msg, t } from '../words.ts'

/** In the order in which people look for one. */
export const categoryTypes = ['users', 'special', 'files', 'other', 'extended'] as const
export type CategoryType = (typeof categoryTypes)[number]

export const categoryTypeWords: Readonly<Record<CategoryType, string>> = {
  users: msg('Own'),
  special: msg('Special'),
  files: msg('Kinds of files'),
  other: msg('Activity'),
  extended: msg('Topics'),
}

/** Every request, whatever it is for. */
export const allRequests = 'special.id.1'

export const typeOfCategory = (id: string): CategoryType =>
  categoryTypes.find((type) => id.startsWith(`${type}.`)) ?? 'users'

export const isOwnCategory = (id: string): boolean => typeOfCategory(id) === 'users'

export const categoryName = ({ id, name }: { readonly id: string; readonly name: string }): string =>
  isOwnCategory(id) ? name : heard(name)

export const categoryTypeWord = (type: string): string => {
  const known = categoryTypes.find((one) => one === type)
  return known === undefined ? type : t(categoryTypeWords[known])
}
