// Categories of sites and requests: fixed ones and user categories (docs/behaviour/content-filter.md 2).

import type { Static } from 'typebox'
import { endpoint } from '../../core/contract/endpoint.ts'
import { Comment, CreatedString, oneOf, strictObject, text } from '../../core/contract/fields.ts'
import { Type } from '../../core/contract/schema.ts'

export const categoryTypes = ['users', 'special', 'files', 'extended', 'other'] as const

export const Category = strictObject({
  id: Type.String({ description: '<type>.id.<number>' }),
  type: oneOf(categoryTypes),
  name: Type.String(),
  comment: Type.String(),
})
export type Category = Static<typeof Category>

export const categories = {
  list: endpoint({
    method: 'GET',
    path: '/content-filter/categories',
    access: 'view',
    summary: 'List the categories of the content filter',
    reply: Type.Array(Category),
  }),
}

export const maxUrls = 100_000
export const maxUrlsOverAll = 500_000
const bodyLimitBytes = 16 * 1024 * 1024

const Name = text({ minLength: 1, maxLength: 255 })
const Urls = Type.Array(text({ minLength: 1, maxLength: 2_048 }), {
  maxItems: maxUrls,
  'x-lines': true,
  description: 'Addresses, domains (*.example.com: only subdomains) or pages, kept as they are sent.',
})

export const UserCategory = strictObject({ id: Type.String(), name: Name, comment: Comment, urls: Urls })
export type UserCategory = Static<typeof UserCategory>

const NewUserCategory = strictObject({ name: Name, comment: Type.Optional(Comment), urls: Urls })

const WholeUserCategory = strictObject({
  name: Name,
  comment: Type.Optional(Comment),
  description: Type.Optional(
    Type.Unsafe<string>({ ...Comment, 'x-synonym-of': 'comment', description: 'Synonym of comment.' }),
  ),
  urls: Urls,
})
export type WholeUserCategory = Static<typeof WholeUserCategory>

const path = '/content-filter/users_categories'
const itemPath = `${path}/:category_id`

export const userCategories = {
  list: endpoint({
    method: 'GET',
    path,
    access: 'view',
    summary: 'List the user categories',
    reply: Type.Array(UserCategory),
  }),
  /** The published example asks for one and gets all of them (docs/behaviour/content-filter.md 2.4). */
  listAgain: endpoint({
    method: 'GET',
    path: itemPath,
    access: 'view',
    summary: 'List all user categories, whatever id is given',
    reply: Type.Array(UserCategory),
  }),
  create: endpoint({
    method: 'POST',
    path,
    access: 'firewall',
    summary: 'Add a user category',
    body: NewUserCategory,
    reply: CreatedString,
    bodyLimitBytes,
  }),
  replace: endpoint({
    method: 'PUT',
    path: itemPath,
    access: 'firewall',
    summary: 'Replace a user category',
    description: 'The whole category: send all URLs, old and new.',
    body: WholeUserCategory,
    reply: UserCategory,
    bodyLimitBytes,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: itemPath,
    access: 'firewall',
    summary: 'Remove a user category',
  }),
}
