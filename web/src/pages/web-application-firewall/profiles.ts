// Profiles that protect web servers behind the gateway.

import { wafCategories, wafExceptions, wafProfiles, wafRules } from '@gateway/server/contract/web-application-firewall'
import { inside, insideToggles, profilePage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = profilePage({
  endpoints: wafProfiles,
  itemName: msg('protection profile'),
  title: ({ name }) => name,
  lead: msg('Stored, not applied: no web server is published through the gateway yet.'),
  columns: ['name', 'detection_only', 'server_tokens', 'comment'],
  fields: {
    detection_only: { label: msg('Only detect') },
    server_tokens: { label: msg('Keep the Server header') },
    disabled_categories: { isHidden: true, initial: [] },
    from_central_console: { isHidden: true },
  },
  isFixed: ({ from_central_console }) => (from_central_console ? msg('It belongs to the central console.') : null),
  inside: [
    insideToggles({
      id: 'categories',
      tab: msg('Categories'),
      list: wafCategories.list,
      enabled: wafCategories.listEnabled,
      update: wafCategories.update,
      label: ({ title }) => title,
      hint: ({ description }) => description,
      isFixed: ({ required }) => required,
    }),
    inside({
      id: 'rules',
      tab: msg('Rules'),
      isOrdered: true,
      endpoints: wafRules,
      itemName: msg('rule'),
      title: ({ id }) => String(id),
      columns: ['enabled', 'aliases', 'aliases_negate', 'action', 'comment'],
      fields: {
        aliases: { label: msg('Sources') },
        aliases_negate: { label: msg('Except these') },
        enabled: { initial: true },
        action: { initial: 'block' },
      },
      empty: { text: msg('A rule refuses sources, or passes them without inspection.') },
    }),
    inside({
      id: 'exceptions',
      tab: msg('Excluded rules'),
      endpoints: wafExceptions,
      itemName: msg('excluded rule'),
      title: ({ rule_id }) => String(rule_id),
      columns: ['enabled', { id: 'rule_id', width: 140 }, 'comment'],
      fields: { rule_id: { label: msg('Number of the rule') }, enabled: { initial: true } },
      empty: { text: msg('A rule that refuses what it should not is excluded by its number.') },
    }),
  ],
  empty: { text: msg('A profile says which attacks on web servers are refused.') },
})
