// Profiles: which signatures firewall rules inspect with, and what happens on a find. The topmost rule of a profile decides.

import { profileRules, profiles, showStatus } from '@gateway/server/contract/intrusion-prevention'
import { inside, insideRead, profilePage, read, rowLink } from '../../contract/define.ts'
import { heard, msg, t } from '../../words.ts'

const templateId = '__DEFAULT_IPS_PROFILE_ID__'
const actions = {
  default: msg('as the signature says'),
  alert: msg('alert'),
  drop: msg('drop'),
  pass: msg('let pass'),
}

export const page = profilePage({
  endpoints: profiles,
  status: showStatus,
  stored: 'intrusion_prevention.profiles',
  itemName: msg('profile'),
  lead: msg('A FORWARD rule names a profile; what it accepts is inspected with the signatures of the profile.'),
  title: ({ name }) => name,
  columns: ['name', { id: 'comment', text: ({ id, comment }) => (id === templateId ? heard(comment) : comment) }],
  isFixed: ({ id }) => (id === templateId ? t('The template cannot be changed. Copy it.') : null),
  empty: { text: msg('A profile chooses signatures.'), example: { name: 'Servers', comment: '' } },
  row: [
    rowLink<typeof profiles.list>()({
      title: msg('Signatures with their actions'),
      icon: 'signature',
      to: ({ id }) => `protection/intrusion-prevention/signatures?profile=${encodeURIComponent(id)}`,
    }),
  ],
  inside: [
    inside({
      id: 'rules',
      tab: msg('Rules'),
      text: msg(
        'A signature must match all filters of a rule. For one that several rules choose, the topmost decides.',
      ),
      isOrdered: true,
      endpoints: profileRules,
      stored: 'intrusion_prevention.profile_rules',
      itemName: msg('rule'),
      title: ({ id, comment }) => comment || String(id),
      columns: [
        'action',
        {
          id: 'filters',
          title: msg('Chooses'),
          width: 'rest',
          text: ({ filters }) =>
            filters
              .map(
                ({ key, values }) =>
                  `${key}: ${values.slice(0, 4).join(', ')}${values.length > 4 ? ` +${values.length - 4}` : ''}`,
              )
              .join('; '),
        },
        'comment',
      ],
      fields: { action: { options: actions } },
      empty: {
        text: msg('A profile without rules inspects nothing.'),
        example: {
          filters: [{ key: 'classtype', operator: 'equals', values: ['trojan-activity'] }],
          action: 'drop',
          comment: '',
        },
      },
    }),
    insideRead({
      id: 'signatures',
      tab: msg('Signatures'),
      text: msg('With the actions that the rules give them.'),
      read: read({
        endpoint: profiles.signatures,
        rowsIn: 'signatures',
        columns: ['action', 'sid', 'msg', 'classtype', 'signature_severity', 'protocol'],
        fields: { sid: { label: msg('SID') }, msg: { label: msg('Name') }, classtype: { label: msg('Group') } },
        empty: msg('No rule of the profile chooses a signature.'),
      }),
    }),
  ],
})
