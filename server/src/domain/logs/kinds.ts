// The kinds of log records: what columns each has beside those of every record, and how long it is kept. A kind is kept for
// itself, so that a flood of one never removes records of another.

/** `word`: few different texts, such as a unit or an address. `text`: almost every one is different. */
export type ColumnForm = 'number' | 'word' | 'text'

export interface StoredColumn {
  readonly name: string
  readonly form: ColumnForm
}

export interface LogKind {
  /** What an administrator calls it. */
  readonly title: string
  /** Kept for this long at first (docs/behaviour/logs.md 3). */
  readonly days: number
  /** Of the room that all logs have together, the part that other kinds never take; hundredths. */
  readonly share: number
  readonly columns: readonly StoredColumn[]
}

const words = (...names: readonly string[]): StoredColumn[] => names.map((name) => ({ name, form: 'word' }))
const numbers = (...names: readonly string[]): StoredColumn[] => names.map((name) => ({ name, form: 'number' }))
const texts = (...names: readonly string[]): StoredColumn[] => names.map((name) => ({ name, form: 'text' }))

/** Of every record. `time` is in Unix microseconds; `unit` and `syslog_id` may have `{brand}` in them. */
export const commonColumns: readonly StoredColumn[] = [
  ...numbers('time', 'priority'),
  ...words('unit', 'syslog_id'),
  { name: 'message', form: 'text' },
]

/** What a number column holds where there is no value, such as the port of a protocol without ports. */
export const noNumber = -1

/** A kind that no source writes yet gets its columns with its engine. */
export const logKinds = {
  system: { title: 'services', days: 90, share: 15, columns: [] },
  /** strongSwan, Squid, application control and the guard against guessing. */
  brief: { title: 'services that write much', days: 14, share: 5, columns: [] },
  firewall: {
    title: 'firewall hits',
    days: 92,
    share: 25,
    columns: [
      // As `GET /firewall/log` shows them: tables FWD, INP, DNAT, SNAT, LOG, ACL, SYS.
      ...words(
        'table',
        'rule_id',
        'action',
        'protocol',
        'source_ip',
        'destination_ip',
        'in_interface',
        'out_interface',
      ),
      ...numbers('source_port', 'destination_port', 'length', 'lost'),
      // What the traffic journal has beyond that, as it was at the time of the hit.
      ...words('src_zone', 'dst_zone', 'src_user_login', 'src_user_name', 'src_group'),
      ...words('dst_user_login', 'dst_user_name', 'dst_group'),
      ...words('src_location_name', 'src_location_code', 'dst_location_name', 'dst_location_code'),
      ...words('dnat_ip', 'snat_ip'),
      ...numbers('dnat_rule_id', 'dnat_port', 'snat_rule_id'),
      // The destination before translation, and whether this hit is the record of its connection in the traffic journal (`yes`)
      // or its columns are part of another one.
      ...words('called_ip', 'journal'),
      ...numbers('called_port', 'filter_rule_id'),
    ],
  },
  authentication: {
    title: 'sign-ins and sessions of users',
    days: 180,
    share: 10,
    columns: [
      ...words('login', 'ip'),
      // Of the authentication journal of the portal: a session that began, and once more with its end. `session` is its id, times
      // are Unix seconds, names are those of the sign-in. `journal` is `yes` for its records and empty for all others.
      ...words('journal', 'session', 'name', 'group_name', 'domain_type', 'country_name', 'country_code'),
      ...numbers('user_id', 'started', 'ended'),
    ],
  },
  administration: {
    title: 'actions of administrators',
    days: 365,
    share: 15,
    columns: words('event', 'who', 'address', 'what', 'result'),
  },
  security: {
    title: 'security events',
    days: 92,
    share: 10,
    columns: [
      // `ips` or `application`.
      ...words('module', 'result', 'signature', 'classtype', 'category', 'tactic', 'application', 'app_protocol'),
      // `blocked` is 1 or 0, so that it can be summed.
      ...numbers('sid', 'gid', 'revision', 'severity', 'blocked'),
      ...words('protocol', 'source_ip', 'destination_ip', 'in_interface', 'src_zone', 'dst_zone'),
      // Of the packet that the rule matched: to_server, to_client or nothing.
      ...words('direction'),
      ...numbers('source_port', 'destination_port'),
      ...words('profile_id', 'profile'),
      // The firewall rule that sent the connection to inspection: FWD or INP, its id, and both as one word such as `fwd.3`.
      ...words('table', 'rule'),
      ...numbers('rule_id'),
      ...words('src_user_id', 'src_user_login', 'src_user_name', 'src_session'),
      ...words('dst_user_id', 'dst_user_login', 'dst_user_name', 'dst_session'),
      ...words('src_location_name', 'src_location_code', 'dst_location_name', 'dst_location_code'),
      ...words('host', 'user_agent', 'ja3', 'ja4', 'flow_id'),
      ...texts('url', 'payload', 'packet'),
      // `flow_start` in Unix microseconds.
      ...numbers('packets_to_server', 'packets_to_client', 'bytes_to_server', 'bytes_to_client', 'flow_start'),
    ],
  },
  web: {
    title: 'web traffic',
    days: 31,
    share: 10,
    columns: [
      ...words(
        'source_ip',
        'destination_ip',
        'user_id',
        'user_login',
        'user_name',
        'group',
        'method',
        'scheme',
        'host',
      ),
      ...texts('url'),
      // Ids, each with a semicolon behind it, so that one can be looked for.
      ...words('categories', 'result', 'reason', 'decrypted'),
      ...numbers('rule_id', 'status', 'bytes_sent', 'bytes_received', 'duration_ms'),
      ...words('content_type', 'dictionary', 'virus', 'user_agent', 'via'),
      ...texts('referer'),
    ],
  },
  vpn: { title: 'VPN', days: 90, share: 5, columns: [] },
  mail: { title: 'mail', days: 90, share: 5, columns: [] },
} as const satisfies Readonly<Record<string, LogKind>>

export type LogKindName = keyof typeof logKinds

export const logKindNames = Object.keys(logKinds) as LogKindName[]

export const columnsOf = (kind: LogKindName): readonly StoredColumn[] => [...commonColumns, ...logKinds[kind].columns]
