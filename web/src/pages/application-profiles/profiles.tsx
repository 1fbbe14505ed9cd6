// Profiles of applications that firewall rules name.

import { applicationStatus } from '@gateway/server/contract/application-control'
import { applicationProfiles } from '@gateway/server/contract/application-profiles'
import { collectionPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'
import { ApplicationPicker } from './application-picker.tsx'

export const page = collectionPage({
  endpoints: applicationProfiles,
  status: applicationStatus,
  itemName: msg('application profile'),
  title: ({ name }) => name,
  columns: [
    'name',
    {
      id: 'count',
      title: msg('Denied applications'),
      width: 160,
      isNumber: true,
      text: ({ protocols }) => String(protocols.filter(({ action }) => action === 'deny').length),
    },
    'comment',
  ],
  fields: { protocols: { label: msg('Denied applications'), render: (props) => <ApplicationPicker {...props} /> } },
  empty: { text: msg('A profile says which applications are denied. Firewall rules that accept traffic name it.') },
})
