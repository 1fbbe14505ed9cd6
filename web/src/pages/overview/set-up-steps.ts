// The steps from a new machine to a working branch, each done or open as the configuration says. Pure.

import { msg } from '../../words.ts'

export type StepId = 'connections' | 'zones' | 'names' | 'rules' | 'backups' | 'administrators' | 'notifications'
export type StepState = 'done' | 'open' | 'unknown'

/** What was read; undefined where it is not known (yet, or to this role). */
export interface Facts {
  readonly connections?: readonly { readonly type: string; readonly enabled: boolean; readonly zone?: string | null }[]
  readonly dhcpEntries?: readonly { readonly enabled: boolean }[]
  readonly isDnsActive?: boolean
  readonly forwardRules?: number
  readonly isFirewallOn?: boolean
  readonly backups?: number
  readonly administrators?: number
  readonly targets?: number
}

export interface Step {
  readonly id: StepId
  readonly title: string
  readonly text: string
  readonly state: StepState
  /** The part that is missing; empty when done. */
  readonly missing: string
  readonly links: readonly {
    readonly label: string
    readonly path: string
    readonly search?: Readonly<Record<string, string>>
  }[]
}

const known = (...facts: readonly unknown[]): boolean => facts.every((fact) => fact !== undefined)

interface Judged {
  readonly state: StepState
  readonly missing: string
}

const judge = (isKnown: boolean, ...missing: readonly (string | false)[]): Judged => {
  const first = missing.find((one) => one !== false)
  if (!isKnown) return { state: 'unknown', missing: '' }
  return first === undefined ? { state: 'done', missing: '' } : { state: 'open', missing: first }
}

export function setUpSteps(facts: Facts): Step[] {
  const { connections = [], dhcpEntries = [] } = facts
  const used = connections.filter(({ enabled, type }) => enabled && type !== 'loopback')
  const isLocal = used.some(({ type }) => type === 'lan')
  const isExternal = used.some(({ type }) => type !== 'lan')
  return [
    {
      id: 'connections',
      title: msg('Connections'),
      text: msg('Cards for the local network and for the way to the internet.'),
      ...judge(
        known(facts.connections),
        !isLocal && msg('No local connection is switched on.'),
        !isExternal && msg('No connection to the internet is switched on.'),
      ),
      links: [{ label: msg('Connections'), path: 'network/connections' }],
    },
    {
      id: 'zones',
      title: msg('Zones'),
      text: msg('Rules that name zones keep their meaning when cards change.'),
      ...judge(
        known(facts.connections),
        (used.length === 0 || used.some(({ zone }) => !zone)) && msg('A connection has no zone.'),
      ),
      links: [
        { label: msg('Zones'), path: 'objects/zones' },
        { label: msg('Connections'), path: 'network/connections' },
      ],
    },
    {
      id: 'names',
      title: msg('Names and leases'),
      text: msg('Devices get an address and can resolve names.'),
      ...judge(
        known(facts.isDnsActive, facts.dhcpEntries),
        !facts.isDnsActive && msg('The DNS server does not run.'),
        !dhcpEntries.some(({ enabled }) => enabled) && msg('No interface gives out addresses.'),
      ),
      links: [
        { label: msg('DNS'), path: 'network/dns/servers' },
        { label: msg('DHCP'), path: 'network/dhcp/interfaces' },
      ],
    },
    {
      id: 'rules',
      title: msg('Rules'),
      text: msg('What may pass. Rules of another branch can be read from a file.'),
      ...judge(
        known(facts.forwardRules, facts.isFirewallOn),
        !facts.isFirewallOn && msg('The firewall is switched off.'),
        facts.forwardRules === 0 && msg('There is no FORWARD rule.'),
      ),
      links: [
        { label: msg('Rules'), path: 'policy/rules/forward' },
        { label: msg('Import from a file'), path: 'policy/rules/forward', search: { import: '1' } },
      ],
    },
    {
      id: 'backups',
      title: msg('Backups'),
      text: msg('A backup every day, and the recovery key in another place.'),
      ...judge(known(facts.backups), facts.backups === 0 && msg('There is no backup yet.')),
      links: [
        { label: msg('Backups'), path: 'system/backups' },
        { label: msg('Schedule and upload'), path: 'system/backups/schedule' },
      ],
    },
    {
      id: 'administrators',
      title: msg('Administrators'),
      text: msg('Each with their own login, so that the audit trail says who changed what.'),
      ...judge(known(facts.administrators), (facts.administrators ?? 0) < 2 && msg('There is only one administrator.')),
      links: [{ label: msg('Administrators'), path: 'system/administrators' }],
    },
    {
      id: 'notifications',
      title: msg('Notifications'),
      text: msg('Who learns when something fails while the console is closed.'),
      ...judge(known(facts.targets), facts.targets === 0 && msg('No one is notified.')),
      links: [{ label: msg('Notifications'), path: 'overview/notifications' }],
    },
  ]
}
