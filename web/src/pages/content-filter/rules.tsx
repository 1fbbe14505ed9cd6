// Rules of the content filter, first match first, each told in a sentence.

import { categories, contentRules, filterStatus } from '@gateway/server/contract/content-filter'
import { choices, orderedPage, rowLink } from '../../contract/define.ts'
import { categoryName } from '../../util/categories.ts'
import { msg } from '../../words.ts'
import { CategoryPicker } from './category-picker.tsx'
import { DraftSummary, OffNotice, RuleSentence } from './rule-parts.tsx'

export const page = orderedPage({
  endpoints: contentRules,
  status: filterStatus,
  notice: OffNotice,
  lead: msg(
    'The first rule that fits a request decides. Decryption rules only say which HTTPS connections are opened.',
  ),
  itemName: msg('content rule'),
  title: ({ name }) => name,
  stored: 'content_filter.rules',
  columns: [
    'enabled',
    'name',
    { id: 'access', width: 130 },
    {
      id: 'told',
      title: msg('What it does'),
      width: 'rest',
      text: ({ name, categories: ids }) => `${name} ${ids.join(' ')}`,
      cell: (rule) => <RuleSentence rule={rule} />,
    },
    { id: 'aliases', width: 180, isExtra: true },
    { id: 'categories', width: 220, isExtra: true },
    { id: 'timetable', width: 140, isExtra: true },
    { id: 'comment', width: 180 },
  ],
  fields: {
    access: {
      label: msg('Action'),
      options: { allow: msg('Allow'), deny: msg('Deny'), bump: msg('Decrypt'), redirect: msg('Redirect') },
      initial: 'deny',
    },
    aliases: { label: msg('Users and addresses'), initial: ['any'] },
    categories: {
      choices: choices({ endpoint: categories.list, value: ({ id }) => id, label: categoryName }),
      render: (props) => <CategoryPicker {...props} />,
    },
    redirect_url: { label: msg('Address to redirect to'), when: ({ access }) => access === 'redirect' },
    http_methods: { label: msg('HTTP methods') },
    content_types: { label: msg('Content types'), help: (item) => <DraftSummary item={item} /> },
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
  row: [
    rowLink<typeof contentRules.list>()({
      title: msg('Explain a request'),
      icon: 'trace',
      to: () => 'protection/web-filter/explain',
    }),
  ],
  empty: { text: msg('A rule allows, denies, decrypts or redirects requests to categories of sites.') },
})
