// Rules of the content filter, first match first.

import { categories, contentRules, filterStatus } from '@gateway/server/contract/content-filter'
import { choices, orderedPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = orderedPage({
  endpoints: contentRules,
  status: filterStatus,
  itemName: msg('content rule'),
  title: ({ name }) => name,
  stored: 'content-filter.rules',
  columns: ['enabled', 'name', 'aliases', 'categories', 'access', 'timetable', 'comment'],
  fields: {
    access: {
      label: msg('Action'),
      options: { allow: msg('Allow'), deny: msg('Deny'), bump: msg('Decrypt'), redirect: msg('Redirect') },
      initial: 'deny',
    },
    aliases: { label: msg('Users and addresses'), initial: ['any'] },
    categories: {
      choices: choices({ endpoint: categories.list, value: ({ id }) => id, label: ({ name }) => name }),
    },
    redirect_url: { label: msg('Address to redirect to'), when: ({ access }) => access === 'redirect' },
    http_methods: { label: msg('HTTP methods') },
    content_types: { label: msg('Content types') },
    timetable: { label: msg('When'), initial: ['any'] },
    enabled: { initial: true },
    parent_id: { isHidden: true },
    categories_negate: { isHidden: true },
    content_length: { isHidden: true },
    content_length_mode: { isHidden: true },
    traffic_direction: { isHidden: true },
    uri_regex: { isHidden: true },
    av_profile: { isHidden: true },
    src_aliases: { isHidden: true },
  },
  groups: [
    { title: msg('Rule'), fields: ['name', 'enabled', 'access', 'redirect_url', 'comment'] },
    { title: msg('Who and when'), fields: ['aliases', 'timetable'] },
    { title: msg('What'), fields: ['categories', 'http_methods', 'content_types'] },
  ],
  empty: { text: msg('A rule allows, denies, decrypts or redirects requests to categories of sites.') },
})
