// Hits of the firewall as a view of the log.

import { noNumber } from '../../domain/logs/kinds.ts'
import { column, type View, type ViewColumn } from '../../domain/logs/view.ts'

const port = (name: string): ViewColumn => ({ from: 'column', column: name, words: { [noNumber]: null } })

export const hitsView: View = {
  kinds: ['firewall'],
  columns: {
    time: { from: 'iso' },
    table: column('table'),
    rule_id: column('rule_id'),
    action: column('action'),
    protocol: column('protocol'),
    source_ip: column('source_ip'),
    source_port: port('source_port'),
    destination_ip: column('destination_ip'),
    destination_port: port('destination_port'),
    in_interface: column('in_interface'),
    out_interface: column('out_interface'),
    length: column('length'),
    lost: column('lost'),
    text: column('message'),
  },
}
