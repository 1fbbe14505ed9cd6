// For whom the access lists apply, and whether the stage works at all.

import { accessLists, accessOrder, accessState } from '@gateway/server/contract/firewall'
import { choices, section, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  confirmWithin: 90,
  lead: msg(
    'For which groups and devices a list applies. Bindings are read in order, and the first entry that matches decides.',
  ),
  sections: [
    section({
      title: msg('State'),
      endpoints: accessState,
      fields: {
        enabled: {
          label: msg('Use the access lists'),
          hint: msg('Switched off, this stage lets everything pass on to the FORWARD rules.'),
        },
        default_action: {
          label: msg('Traffic that no entry matches'),
          hint: '',
          options: { allow: msg('is allowed'), deny: msg('is denied') },
        },
        logging_enabled: { label: msg('Log the verdicts'), hint: '' },
      },
    }),
    section({
      title: msg('Bindings'),
      endpoints: accessOrder,
      fields: {
        acl_ordered_list: {
          label: msg('Bindings in their order'),
          fields: {
            src: { label: msg('Groups'), refers: ['group', 'security_group'] },
            hip: { label: msg('Device profiles'), refers: ['hip_profile'] },
            acl: {
              label: msg('Access list'),
              choices: choices({ endpoint: accessLists.list, value: ({ id }) => id, label: ({ name }) => name }),
            },
          },
        },
      },
    }),
  ],
})
