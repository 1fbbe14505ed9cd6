// The list of commands with everything help and completion show about them. The code behind each is loaded only when
// it runs.

import type { Method } from '../../core/contract/endpoint.ts'
import type { Command, Option } from './command.ts'

const json: Option = { name: 'json', summary: 'Print JSON.' }
/** Of every command that calls the gateway; client/choose-gateway.ts says what is meant without it. */
const address: Option = {
  name: 'address',
  value: 'URL',
  summary:
    'Address of the gateway; default: that of PORTCULLIS_LISTEN or PORTCULLIS_STATE, the one running here, or the one of the last sign-in.',
}
const limit: Option = { name: 'limit', value: 'N', summary: 'At most this many, newest first.' }

const changeOptions: readonly Option[] = [
  { name: 'dry-run', summary: 'Show what would change, and change nothing.' },
  { name: 'cut-connections', summary: 'Also cut live connections that the change refuses.' },
  { name: 'confirm', value: 'SECONDS', summary: 'Revert the change after this time unless gw confirm is run first.' },
  { name: 'reason', value: 'TEXT', summary: 'Kept with the revision and in the audit trail.' },
]

/** Not as quoted words, which the architecture test takes for the start of a shell. */
const shells = 'bash zsh fish'.split(' ')

const none = { least: 0, most: 0 } as const
const nothing = { kind: 'none' } as const

const callSummaries: Readonly<Record<Method, string>> = {
  GET: 'Read from a path of the API',
  POST: 'Add something, or start an action',
  PUT: 'Replace something',
  PATCH: 'Change some fields',
  DELETE: 'Remove something',
}

const callExamples: Readonly<Record<Method, readonly string[]>> = {
  GET: [
    'gw get /firewall/settings',
    'gw get /config/revisions limit=5 --json',
    'gw get /backup/download/<backup_id> --output gateway.backup',
  ],
  POST: [
    'gw post /web/admins/local --data @admin.json',
    'gw post /backup/upload --file gateway.backup',
    'gw post /config/keys/rotate',
    'gw post /firewall/rules/forward action=drop destination_addresses=ip.id.3 --cut-connections',
  ],
  PUT: [],
  PATCH: [
    'gw patch /firewall/settings log_mode=selected log_actions=drop,accept --dry-run',
    'gw patch /firewall/state enabled=true --confirm 60 --reason "rules are ready"',
  ],
  DELETE: ['gw delete /web/auth/blocks'],
}

const call = (method: Method): Command => ({
  words: [method.toLowerCase()],
  usage: '<path> [field=value ...] [field:=json ...]',
  summary: callSummaries[method],
  description:
    'Values are read by the type of their field: true or false, numbers, lists as a,b,c, null where it is allowed. ' +
    'field:=json takes any JSON, and params.id=7 a field inside a field. Where the call takes no body, field=value is ' +
    'a query parameter. Pass secrets with --data: arguments are visible in the process list. ' +
    'gw help <path> lists the fields of a path.',
  examples: callExamples[method],
  options: [
    {
      name: 'query',
      value: 'NAME=VALUE',
      isRepeatable: true,
      summary: 'A query parameter; may be given several times.',
    },
    ...(method === 'GET'
      ? [
          { name: 'output', value: 'PATH', summary: 'Write the answer to this file, unchanged.' },
          { name: 'etag', summary: 'Also show the ETag, for --if-match of a later change.' },
        ]
      : [
          {
            name: 'data',
            value: '@FILE|-|JSON',
            summary: 'The body as JSON: from a file, from standard input or inline.',
          },
          { name: 'file', value: 'PATH|-', summary: 'Upload this file as the body; - reads standard input.' },
          ...changeOptions,
          {
            name: 'if-match',
            value: 'ETAG',
            summary: 'Refuse the change if the object was changed since this ETag was read.',
          },
        ]),
    address,
    json,
  ],
  operand: { kind: 'call', method },
  operands: { least: 1, most: Number.POSITIVE_INFINITY },
  load: async () => (await import('./commands/call.ts')).callCommand(method),
})

export const commands: readonly Command[] = [
  {
    words: ['setup'],
    usage: '',
    summary: 'Set up this machine as a gateway: cards, addresses and the first password; as root',
    description:
      'Shows the cards and asks for what the options do not say. Both connections are written in one change, which is reverted by ' +
      'itself unless it is confirmed: by your answer, or from a new session with gw confirm. When nothing that you are connected ' +
      'over changes, and --confirm is not given, it is confirmed at once. When you are connected by SSH over the card outside, the port of ' +
      'SSH stays open from there, unless --no-ssh is given. Without a terminal, with --yes or with --password-stdin nothing is ' +
      'asked. It may be run again at any time; the password is then the one that was set.',
    examples: [
      'gw setup',
      'gw setup --outside eth0 --outside-address dhcp --inside eth1 --inside-address 192.168.1.1/24 --yes --password-stdin < FILE',
      'gw setup --outside eth0 --outside-address 203.0.113.2/24 --gateway 203.0.113.1 --inside eth1 --inside-address 10.10.0.1/24 ' +
        '--dhcp-range 10.10.0.100-10.10.0.199',
    ],
    options: [
      { name: 'outside', value: 'CARD', summary: 'The card that leads to the provider.' },
      { name: 'outside-address', value: 'A/P|dhcp', summary: 'Its address with prefix, or dhcp.' },
      { name: 'gateway', value: 'A|none', summary: 'The gateway of the provider; not with dhcp.' },
      { name: 'dns', value: 'A,A|none', summary: 'At most two DNS servers of the provider; default: none.' },
      { name: 'inside', value: 'CARD', summary: 'The card that leads to the local network.' },
      { name: 'inside-address', value: 'A/P', summary: 'Its address, with the prefix of the network.' },
      {
        name: 'dhcp-range',
        value: 'A-B|none',
        summary: 'Addresses to lease inside by DHCP; default: none, which leaves DHCP as it is.',
      },
      {
        name: 'no-ssh',
        summary:
          'Do not keep the port of SSH open from outside when you are connected through it over the card outside.',
      },
      {
        name: 'password-stdin',
        summary: 'Take the password from the first line of standard input: the new one at the first run.',
      },
      { name: 'login', value: 'NAME', summary: 'Login of the administrator; default: admin.' },
      {
        name: 'confirm',
        value: 'SECONDS',
        summary: 'Wait so long for the confirmation; default: 120, where it is needed.',
      },
      { name: 'yes', summary: 'Ask nothing.' },
      {
        name: 'address',
        value: 'URL',
        summary: 'Address of this gateway, where it is not the usual one.',
      },
    ],
    operand: nothing,
    operands: none,
    load: async () => (await import('./commands/setup.ts')).setupCommand,
  },
  {
    words: ['login'],
    usage: '',
    summary: 'Sign in to a gateway',
    description:
      'The password is read without echo. Without a terminal it is the first line of standard input; for the login ' +
      'admin the variable PORTCULLIS_ADMIN_PASSWORD comes first. The gateway is known by the fingerprint of its ' +
      'certificate, which is shown and asked about at the first sign-in. Each gateway has its own session: signing in to another ' +
      'one does not end it.',
    examples: ['gw login', 'gw login --address https://192.0.2.1:8443 --login bob'],
    options: [
      address,
      { name: 'login', value: 'NAME', summary: 'Login of the administrator; default: admin.' },
      { name: 'trust', summary: 'Trust the certificate the gateway presents, without asking.' },
      { name: 'fingerprint', value: 'SHA256', summary: 'Trust the certificate with this fingerprint only.' },
    ],
    operand: nothing,
    operands: none,
    load: async () => (await import('./commands/sign-in.ts')).signInCommand,
  },
  {
    words: ['logout'],
    usage: '',
    summary: 'Sign out',
    options: [address],
    operand: nothing,
    operands: none,
    load: async () => (await import('./commands/sign-in.ts')).signOutCommand,
  },
  {
    words: ['whoami'],
    usage: '',
    summary: 'Show who is signed in, and where',
    options: [address, json],
    operand: nothing,
    operands: none,
    load: async () => (await import('./commands/sign-in.ts')).whoAmICommand,
  },
  {
    words: ['status'],
    usage: '',
    summary: 'Show the status of all services; exit code 1 when one has failed',
    options: [address, json],
    operand: nothing,
    operands: none,
    load: async () => (await import('./commands/status.ts')).statusCommand,
  },
  {
    words: ['health'],
    usage: '',
    summary: 'Show all health checks; exit code 1 when one has failed',
    options: [address, json],
    operand: nothing,
    operands: none,
    load: async () => (await import('./commands/health.ts')).healthCommand,
  },
  {
    words: ['doctor'],
    usage: '',
    summary: 'List what of the machine gets in the way, with the repair; exit code 1 when something does not work',
    description:
      'Other programs on the ports of the gateway, rules of other firewalls that drop what ours accept, other managers of the ' +
      'network cards, profiles of AppArmor. Without a session, root on the machine itself can look, also before the gateway is ' +
      'installed or while it does not run. Run the commands that repair something as root.',
    options: [
      { name: 'local', summary: 'Look at this machine, whatever gateway you are signed in to. For root.' },
      address,
      json,
    ],
    operand: nothing,
    operands: none,
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  call('GET'),
  call('POST'),
  call('PUT'),
  call('PATCH'),
  call('DELETE'),
  {
    words: ['explain'],
    usage: '<protocol> <source>[:port] <destination>[:port]',
    summary: 'Explain which rule decides about a packet; exit code 1 when it is dropped',
    description:
      'Shows the path of the first packet of a connection: hardware filter, log marks, DNAT, routing, access lists, rules and ' +
      'SNAT. No packet is sent. Put an IPv6 address with a port in brackets. With --user the source may be -: the address ' +
      'that the user has now.',
    examples: [
      'gw explain tcp 10.10.0.2 198.51.100.10:80',
      'gw explain udp 10.10.0.2 198.51.100.53:53 --from lan0 --reasons',
      'gw explain tcp 10.10.0.2 198.51.100.10:80 --revision 7',
      'gw explain tcp - 198.51.100.10:80 --user user.id.5',
    ],
    options: [
      {
        name: 'from',
        value: 'INTERFACE',
        summary: 'Device, interface or zone the packet comes from; default: any local one.',
      },
      {
        name: 'user',
        value: 'ID',
        summary: 'User who sends the packet, such as user.id.5: judged as if they were at the source.',
      },
      { name: 'own', summary: 'The packet is sent by the gateway itself.' },
      { name: 'revision', value: 'N', summary: 'Use the configuration of this revision.' },
      { name: 'reasons', summary: 'Also show for every skipped rule why it did not match.' },
      address,
      json,
    ],
    operand: nothing,
    operands: { least: 3, most: 3 },
    load: async () => (await import('./commands/firewall.ts')).explainCommand,
  },
  {
    words: ['hygiene'],
    usage: '',
    summary: 'List rules that are shadowed, redundant, never hit, expired or too wide',
    options: [address, json],
    operand: nothing,
    operands: none,
    load: async () => (await import('./commands/firewall.ts')).hygieneCommand,
  },
  {
    words: ['revisions'],
    usage: '',
    summary: 'List the revisions of the configuration',
    options: [limit, address, json],
    operand: nothing,
    operands: none,
    load: async () => (await import('./commands/revisions.ts')).listRevisionsCommand,
  },
  {
    words: ['revisions', 'show'],
    usage: '<number>',
    summary: 'Show what a revision changed',
    options: [address, json],
    operand: nothing,
    operands: { least: 1, most: 1 },
    load: async () => (await import('./commands/revisions.ts')).showRevisionCommand,
  },
  {
    words: ['revert'],
    usage: '<number>',
    summary: 'Revert the configuration to a revision',
    description: 'This creates a new revision; the history is kept.',
    options: [...changeOptions, address, json],
    operand: nothing,
    operands: { least: 1, most: 1 },
    load: async () => (await import('./commands/revisions.ts')).revertCommand,
  },
  {
    words: ['confirm'],
    usage: '',
    summary: 'Confirm the change that is on probation',
    options: [address],
    operand: nothing,
    operands: none,
    load: async () => (await import('./commands/revisions.ts')).confirmCommand,
  },
  {
    words: ['put-back'],
    usage: '',
    summary: 'Revert the change that is on probation, now',
    options: [address],
    operand: nothing,
    operands: none,
    load: async () => (await import('./commands/revisions.ts')).putBackCommand,
  },
  {
    words: ['audit'],
    usage: '',
    summary: 'List changes, sign-ins and refused requests',
    options: [limit, address, json],
    operand: nothing,
    operands: none,
    load: async () => (await import('./commands/audit.ts')).listAuditCommand,
  },
  {
    words: ['audit', 'verify'],
    usage: '',
    summary: 'Check that no record of the audit trail was altered; exit code 1 when one was',
    options: [address, json],
    operand: nothing,
    operands: none,
    load: async () => (await import('./commands/audit.ts')).verifyAuditCommand,
  },
  {
    words: ['logs'],
    usage: '[text]',
    summary: 'Show records of the system journal, oldest first',
    description: 'With a text only records whose message contains it. Times are those of the gateway.',
    examples: ['gw logs --limit 20', 'gw logs --unit unbound --follow', "gw logs 'action drop' -f --json"],
    options: [
      { name: 'limit', value: 'N', summary: 'So many of the newest records; default: 100, with --follow 10.' },
      { name: 'unit', value: 'NAME', summary: 'Only records of this unit.' },
      { name: 'priority', value: 'N', summary: 'Only records of this priority and more serious ones: 3 for errors.' },
      { name: 'follow', short: 'f', summary: 'Go on with new records as they come, until interrupted.' },
      address,
      { name: 'json', summary: 'Print JSON, one record a line.' },
    ],
    operand: nothing,
    operands: { least: 0, most: 1 },
    load: async () => (await import('./commands/logs.ts')).logsCommand,
  },
  {
    words: ['sessions'],
    usage: '',
    summary: 'List the sessions of administrators',
    options: [address, json],
    operand: nothing,
    operands: none,
    load: async () => (await import('./commands/sessions.ts')).listSessionsCommand,
  },
  {
    words: ['endpoints'],
    usage: '[word]',
    summary: 'List the endpoints of the API',
    options: [json],
    operand: nothing,
    operands: { least: 0, most: 1 },
    load: async () => (await import('./commands/endpoints.ts')).listEndpointsCommand,
  },
  {
    words: ['lab', 'status'],
    usage: '',
    summary: 'Show the lab of the gateway running here',
    options: [json],
    operand: nothing,
    operands: none,
    load: async () => (await import('./commands/lab.ts')).labStatusCommand,
  },
  {
    words: ['lab', 'exec'],
    usage: '<client|gateway|internet> -- <command ...>',
    summary: 'Run a command inside the lab and exit with its exit code',
    examples: ['gw lab exec client -- ping -c 1 198.51.100.10'],
    options: [],
    operand: { kind: 'words', words: ['client', 'gateway', 'internet'] },
    operands: { least: 1, most: 1 },
    load: async () => (await import('./commands/lab.ts')).labExecCommand,
  },
  {
    words: ['admin', 'first-password'],
    usage: '',
    summary: 'Show the password of the first administrator, on the machine itself',
    description:
      'The password that the gateway made for the administrator admin, until it is used for the first time or 24 hours have ' +
      'passed. Run it as root or as the owner of the state folder.',
    options: [],
    operand: nothing,
    operands: none,
    load: async () => (await import('./commands/first-password.ts')).firstPasswordCommand,
  },
  {
    words: ['admin', 'reset'],
    usage: '',
    summary: 'Reset the password of an administrator, on the machine itself',
    description:
      'For an administrator who is locked out. Run it as root or as the owner of the state folder, with the gateway ' +
      'stopped. The account is created if it is missing, enabled, and gets full access and a new random password, which is ' +
      'shown once. Its sessions end and all blocked addresses are unblocked.',
    options: [{ name: 'login', value: 'NAME', summary: 'Login of the administrator; default: admin.' }],
    operand: nothing,
    operands: none,
    load: async () => (await import('./commands/admin-reset.ts')).adminResetCommand,
  },
  {
    words: ['upgrade'],
    usage: '[FILE]',
    summary: 'Install a signed package with another version, on the machine itself; without FILE show the last upgrade',
    description:
      'Run it as root on a gateway that was installed as a package; the gateway may be up or down. The package must be signed with ' +
      'a key that this gateway trusts, and must not be older than what is installed. Traffic is not interrupted. When the new ' +
      'version does not come up, the old one and its state are restored; exit code 1 then. --undo goes back later: the configuration ' +
      'stays as it is if the version before can read it, otherwise the state comes back that was kept at the upgrade.',
    examples: [
      'gw upgrade portcullis_0.2.0_amd64.deb',
      'gw upgrade portcullis_0.2.0_amd64.deb --yes',
      'gw upgrade --undo',
      'gw upgrade --json',
    ],
    options: [
      { name: 'undo', summary: 'Go back to the version that the last upgrade replaced. Says first what is lost.' },
      { name: 'yes', summary: 'Do not ask.' },
      json,
    ],
    operand: nothing,
    operands: { least: 0, most: 1 },
    load: async () => (await import('./commands/upgrade.ts')).upgradeCommand,
  },
  {
    words: ['completion'],
    usage: '<bash|zsh|fish>',
    summary: 'Print a completion script for a shell',
    examples: ['source <(gw completion bash)', 'gw completion fish > ~/.config/fish/completions/gw.fish'],
    options: [],
    operand: { kind: 'words', words: shells },
    operands: { least: 1, most: 1 },
    load: async () => (await import('./commands/completion-scripts.ts')).completionCommand,
  },
  {
    words: ['help'],
    usage: '[command ...|/path]',
    summary: 'Show the help of gw, of a command, or of a path of the API',
    examples: ['gw help revisions show', 'gw help /firewall/settings'],
    options: [],
    operand: { kind: 'topic' },
    operands: { least: 0, most: Number.POSITIVE_INFINITY },
    load: async () => (await import('./help.ts')).helpCommand,
  },
]
