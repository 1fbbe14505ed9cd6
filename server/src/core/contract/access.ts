// Who may do what: the seven roles and the one table that says which of them an access name opens.
// Endpoints name an access; nothing else in the product compares roles.

export const roles = {
  predefined_admin_write: 'Administrator',
  predefined_admin_readonly: 'Administrator, view only',
  predefined_reports_view: 'Reports, view only',
  predefined_reports_change: 'Reports',
  predefined_security_admin: 'Security administrator',
  predefined_firewall_admin: 'Firewall administrator',
  predefined_access_settings_admin: 'Access-settings administrator',
} as const

export type Role = keyof typeof roles
export const roleIds = Object.keys(roles) as readonly Role[]

export type Competence = 'admin_write' | 'admin_read' | 'allow_terminal' | 'reports_view' | 'reports_change'

/** Which role opens which access (docs/behaviour/api.md 6). */
export const competences: Readonly<Record<Role, readonly Competence[]>> = {
  predefined_admin_write: ['admin_write', 'admin_read', 'allow_terminal', 'reports_view', 'reports_change'],
  predefined_admin_readonly: ['admin_read', 'reports_view'],
  predefined_reports_view: ['reports_view'],
  predefined_reports_change: ['reports_view', 'reports_change'],
  predefined_security_admin: ['admin_read', 'admin_write', 'reports_view'],
  predefined_firewall_admin: ['admin_read', 'admin_write', 'reports_view'],
  predefined_access_settings_admin: ['admin_read', 'admin_write', 'reports_view'],
}

const fullAccess: readonly Role[] = ['predefined_admin_write']
const limitedWriters: readonly Role[] = [
  'predefined_security_admin',
  'predefined_firewall_admin',
  'predefined_access_settings_admin',
]

/** `public` needs no session and `signed-in` any session; every other name is opened by the roles listed. */
export const accessTable = {
  public: roleIds,
  'signed-in': roleIds,
  /** Read any setting. */
  view: [...fullAccess, 'predefined_admin_readonly', ...limitedWriters],
  /** Change what no narrower access below covers. */
  configure: fullAccess,
  /** Filtering rules and firewall modes. */
  firewall: [...fullAccess, 'predefined_firewall_admin'],
  /** Users, their groups and the hosts that belong to them. */
  accounts: [...fullAccess, 'predefined_firewall_admin', 'predefined_access_settings_admin'],
  /** Confirm or revert a change on probation; the author of the change decides the rest. */
  change: [...fullAccess, ...limitedWriters],
  /** Traffic reports and journals: every role whose whoami says that it may view reports. */
  reports: roleIds.filter((role) => competences[role].includes('reports_view')),
  /** The audit trail of changes, sign-ins and refusals. */
  audit: [
    ...fullAccess,
    'predefined_admin_readonly',
    'predefined_security_admin',
    'predefined_reports_view',
    'predefined_reports_change',
  ],
} as const satisfies Readonly<Record<string, readonly Role[]>>

export type Access = keyof typeof accessTable

/** The role that sees secrets and does everything. */
export const hasFullAccess = (role: Role | undefined): boolean => role === 'predefined_admin_write'

export const mayUse = (role: Role, access: Access): boolean => (accessTable[access] as readonly Role[]).includes(role)
