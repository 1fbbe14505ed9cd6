// The five tables of firewall rules, and the minimum that a rule of each must have.

export const tables = ['forward', 'input', 'dnat', 'snat', 'log'] as const
export type Table = (typeof tables)[number]

export const path = (table: Table): string => `/firewall/rules/${table}`

export const least: Readonly<Record<Table, object>> = {
  forward: { action: 'drop' },
  input: { action: 'accept' },
  dnat: { action: 'dnat', change_destination_address: '10.0.0.2' },
  snat: { action: 'snat' },
  log: { action: 'mark_log' },
}
