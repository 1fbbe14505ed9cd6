// The system journal as a view of the log: records of every kind, each as one message.

import type { View } from '../../domain/logs/view.ts'

export const systemView: View = {
  kinds: ['system', 'brief', 'firewall', 'authentication', 'administration', 'security', 'vpn', 'mail'],
  columns: {
    id: { from: 'id' },
    date_time: { from: 'stamp' },
    microseconds: { from: 'microseconds' },
    priority: { from: 'column', column: 'priority' },
    message: { from: 'column', column: 'message' },
    syslog_id: { from: 'column', column: 'syslog_id' },
    unit: { from: 'column', column: 'unit' },
  },
}
