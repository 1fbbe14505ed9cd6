// Words and icons for kinds of objects, as chips and pickers show them.

import type { IconName } from '../../ui/icons.ts'
import { kindOfId } from '../../util/objects.ts'
import { msg } from '../../words.ts'

interface Kind {
  readonly word: string
  readonly icon: IconName
}

const kinds: Readonly<Record<string, Kind>> = {
  ip: { word: msg('address'), icon: 'address' },
  ip_range: { word: msg('range'), icon: 'range' },
  subnet: { word: msg('network'), icon: 'subnet' },
  domain: { word: msg('domain'), icon: 'domain' },
  address_list: { word: msg('list'), icon: 'list' },
  ip_address_list: { word: msg('list'), icon: 'list' },
  iplist: { word: msg('country'), icon: 'country' },
  list_of_iplists: { word: msg('countries'), icon: 'country' },
  user: { word: msg('user'), icon: 'user' },
  group: { word: msg('group'), icon: 'group' },
  security_group: { word: msg('security group'), icon: 'directory' },
  port: { word: msg('port'), icon: 'port' },
  port_range: { word: msg('ports'), icon: 'port' },
  port_list: { word: msg('ports'), icon: 'port' },
  time_range: { word: msg('time'), icon: 'time' },
  time_list: { word: msg('schedule'), icon: 'time' },
  zone: { word: msg('zone'), icon: 'zone' },
  interface: { word: msg('interface'), icon: 'interface' },
  hip_profile: { word: msg('device profile'), icon: 'device' },
}

const unknownKind: Kind = { word: '', icon: 'objects' }

export const kindOf = (id: string): Kind => kinds[kindOfId(id)] ?? unknownKind
