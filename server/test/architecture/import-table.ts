// What may live where, and import what: the table that imports.test.ts enforces and docs/ARCHITECTURE.md shows. A pattern is
// a folder (`contract/`), a file, the name of a package or of a module of Node; `*` stands for one name, `{a,b}` for a or b.

export interface Row {
  /** The files this row is about, below server/src. */
  readonly code: string
  readonly may: readonly string[]
  readonly because: string
}

/** Files of the same area, and what other areas offer. */
export const ownArea = 'its own area'
export const publicFiles = '`public.ts`, `contract.ts` and `service.ts` of other areas'
export const contractFiles = '`contract.ts` of other areas'
export const anything = 'anything'

const pure = ['core/contract/', 'core/model/', 'domain/logs/', 'core/plan/{artifacts,facts,inspection-marks,link}.ts']
const area = [ownArea, publicFiles]
const trade = ['domain/{policy,signatures,applications,web-filter}/', 'shared/net/', ...pure]

/** All code may say something: the words of the gateway are below everything, and import nothing. */
export const sayable: readonly string[] = ['shared/said.ts', 'shared/said-texts.ts']

const runs = [
  ...area,
  'core/',
  'domain/',
  'engines/',
  'shared/',
  'upgrade/{judge,places,record,words}.ts',
  'areas/*/runs/',
  'node:*',
]

/** The first row that fits a file judges it; a file that no row fits fails the test. */
export const importTable: readonly Row[] = [
  // shared: below everything.
  {
    code: 'shared/certificates/certificate-maker.ts',
    may: ['shared/', 'asn1js', 'pkijs', 'node:crypto'],
    because: 'one place makes certificates',
  },
  {
    code: 'shared/files/',
    may: ['shared/files/', 'node:*'],
    because: 'root opens files of the state folder only through it, so it stays small and knows nothing',
  },
  { code: 'shared/net/', may: ['shared/net/', 'node:net', 'node:crypto'], because: 'value types are pure' },
  { code: 'shared/', may: ['shared/', 'node:*'], because: 'every process uses it, so it knows none' },

  // core: the ladder from the wire contract to the plan.
  {
    code: 'core/contract/',
    may: ['core/contract/', 'typebox'],
    because: 'everything imports the wire contract and a browser bundles it, so it imports nothing',
  },
  {
    code: 'core/model/',
    may: ['core/model/', 'core/contract/', 'typebox'],
    because: 'configuration as data: slots, declarations, references and secrets know neither areas nor the machine',
  },
  {
    code: 'core/plan/',
    may: ['core/plan/', 'core/contract/', 'core/model/', 'node:crypto'],
    because: 'a plan is a pure function of configuration and facts',
  },
  {
    code: 'core/engine/',
    may: ['core/engine/', 'core/plan/artifacts.ts'],
    because: 'both sides of the socket read what an engine is, so it is data',
  },
  {
    code: 'core/database/',
    may: ['core/database/', 'core/contract/error.ts', 'shared/', 'node:*'],
    because: 'only this folder knows the file format',
  },
  {
    code: 'core/config/',
    may: ['core/{config,contract,model,plan,database}/', 'core/workers/slices.ts', 'node:crypto', 'node:util'],
    because: 'the only way to change the configuration knows neither areas nor HTTP',
  },
  {
    code: 'core/workers/',
    may: ['core/workers/', ...pure, 'node:*'],
    because: 'threads for work that grows with data, whoever asks for it; the entry of a worker is beside what it runs',
  },
  {
    code: 'core/validation/',
    may: ['core/validation/', 'core/contract/', 'ajv', 'ajv/dist/compile/util.js', 'typebox', 'node:*'],
    because: 'what a client sends is judged by its contract alone',
  },
  {
    code: 'core/audit/',
    may: ['core/{audit,database,workers}/', 'shared/', ...pure, 'node:*'],
    because: 'the audit trail is kept beside the configuration and does not depend on it',
  },
  {
    code: 'core/area/',
    may: ['core/', 'domain/', 'shared/', 'typebox', 'node:*'],
    because: 'what an area is made of and what it gets; it never sees Fastify',
  },
  { code: 'core/', may: ['core/', 'shared/', 'node:*'], because: 'it knows neither areas nor processes' },

  // domain: the rules of the trade, pure.
  {
    code: 'domain/logs/',
    may: ['domain/logs/', 'core/contract/', 'domain/policy/schedule.ts'],
    because: 'kinds, records and views of the log, and the interface of its store, as data',
  },
  {
    code: 'domain/policy/',
    may: [
      'domain/policy/',
      'shared/net/',
      'core/engine/',
      'core/plan/{nft-piece,live-sets,interception,classifier}.ts',
      ...pure,
      'node:crypto',
    ],
    because: 'what a policy means, does and lacks is a pure function of it',
  },
  {
    code: 'domain/signatures/',
    may: ['domain/signatures/', 'shared/net/', 'core/plan/inspection-marks.ts'],
    because: 'what a rule of the intrusion prevention engine says is a pure function of its text',
  },
  {
    code: 'domain/applications/',
    may: ['domain/applications/', 'domain/signatures/numbering.ts'],
    because: 'how an application is recognised is data',
  },
  {
    code: 'domain/web-filter/*.ts',
    may: ['domain/web-filter/*.ts', 'shared/net/'],
    because: 'the decision about a web request is a pure function of the policy and the request',
  },
  {
    code: 'domain/web-filter/morphology/stems.ts',
    may: ['@orama/stemmers/russian', 'porter2'],
    because: 'one place knows the packages of the stemmers',
  },
  {
    code: 'domain/web-filter/morphology/',
    may: ['domain/web-filter/morphology/', 'node:events', 'node:stream', 'node:timers/promises', 'node:zlib'],
    because: 'the text of a page is judged by itself: it knows neither rules nor the proxy',
  },
  {
    code: 'domain/web-filter/categories/',
    may: [
      'domain/web-filter/categories/',
      'domain/web-filter/model.ts',
      'core/workers/serve.ts',
      'core/contract/error.ts',
      'node:*',
    ],
    because: 'the category index is built in a worker of gatewayd and read by the decision process, from files',
  },

  // engines: one folder for each; what runs as root is in its folder applyd/.
  {
    code: 'engines/index.ts',
    may: ['engines/*/index.ts', 'core/engine/'],
    because: 'it is only the list, read by both sides of the socket',
  },
  {
    code: 'engines/{kit,*/applyd}/',
    may: [
      'engines/',
      'core/{engine,plan}/',
      'core/contract/error.ts',
      'domain/web-filter/policy-file.ts',
      'shared/',
      'node:*',
    ],
    because: 'the privileged process loads no npm package and no code that talks to the network',
  },
  {
    code: 'engines/{wpad/serve,dhcp-client/lease-event}.ts',
    may: ['engines/', 'shared/', 'node:*'],
    because: 'programs that an engine starts',
  },
  {
    code: 'engines/',
    may: ['engines/', 'core/{engine,plan,contract}/', 'domain/web-filter/model.ts', 'shared/net/', 'node:crypto'],
    because: 'data and writers are pure and do not know areas',
  },

  // areas: one folder for each feature; what runs for it is in its folder runs/.
  { code: 'areas/index.ts', may: ['areas/*/index.ts', 'core/area/handle.ts'], because: 'it is only the list' },
  {
    code: 'areas/*/contract{,-*}.ts',
    may: [ownArea, contractFiles, 'core/contract/', 'shared/net/', 'typebox'],
    because: 'the console and the CLI load contracts, so they import nothing else',
  },
  {
    code: 'areas/health/runs/mail.ts',
    may: [ownArea, 'core/contract/health.ts', 'nodemailer', 'node:net'],
    because: 'one place speaks SMTP',
  },
  {
    code: 'areas/backup/runs/ftp-upload.ts',
    may: [ownArea, 'basic-ftp', 'node:stream'],
    because: 'one place speaks FTP',
  },
  {
    code: 'areas/*/service.ts',
    may: [
      ownArea,
      'core/area/{service,statuses}.ts',
      'core/audit/audit-retention.ts',
      'core/contract/',
      'core/model/',
      'core/plan/{artifacts,facts}.ts',
      'domain/',
    ],
    because: 'names and types of what runs: everything that uses a service imports it, so it loads nothing',
  },
  {
    code: 'areas/*/runs.ts',
    may: runs,
    because: 'how what runs for an area is made; only gatewayd/runs.ts loads it',
  },
  {
    code: 'areas/*/runs/',
    may: runs,
    because: 'what runs for an area has a clock, files and threads; it knows neither HTTP nor other processes',
  },
  {
    code: 'areas/*/status{,-*}.ts',
    may: [...area, 'engines/', 'core/engine/', 'core/plan/observed.ts', 'core/area/{handle,service}.ts', ...trade],
    because: 'a status reports what was read, and never changes or applies anything',
  },
  {
    code: 'areas/*/{routes,routes-*,jobs,jobs-*,actions,actions-*,index,token}.ts',
    may: [
      ...area,
      'core/area/{handle,raw-reply,routes,run,service}.ts',
      'core/workers/{slices,shared-facts}.ts',
      'engines/*/{protocol,request,observed}.ts',
      'shared/version.ts',
      ...trade,
      'jose',
      'node:crypto',
      'node:timers/promises',
    ],
    because: 'areas see the handler context, never Fastify, the store or the applier',
  },
  {
    code: 'areas/',
    may: [...area, 'engines/', 'core/engine/', 'core/config/change.ts', 'core/plan/sealed.ts', ...trade, 'typebox'],
    because: 'everything else in an area is pure: a clock, a file or a process in it could not be tested as data',
  },

  // gatewayd
  {
    code: 'gatewayd/http/websocket.ts',
    may: ['gatewayd/http/', 'core/contract/error.ts', 'core/validation/strict-json.ts', 'shared/', 'ws', 'node:*'],
    because: 'one place speaks WebSocket',
  },
  {
    code: 'gatewayd/http/',
    may: [
      'gatewayd/http/',
      'core/{accounts,area,audit,config,contract,model,plan,validation,workers}/',
      'core/log.ts',
      'shared/',
      'fastify',
      'fast-json-stringify',
      'typebox',
      'node:*',
    ],
    because: 'HTTP neither renders nor applies, and knows areas only as routes',
  },
  {
    code: 'gatewayd/apply/',
    may: [
      'gatewayd/apply/',
      'core/plan/{artifacts,sealed,verbs}.ts',
      'core/contract/error.ts',
      'core/config/engine.ts',
      'core/log.ts',
      'engines/index.ts',
      'gatewayd/machine/',
      'shared/{frames,pace}.ts',
      'node:*',
    ],
    because: 'the client of applyd and the reconcile loop, nothing else',
  },
  {
    code: 'gatewayd/logs/{server-store,store,forwarding,sources}/',
    may: ['gatewayd/{logs,threads}/', 'core/', 'domain/', 'shared/', 'node:*'],
    because: 'the log is written and searched in threads, which know no area',
  },
  {
    code: 'gatewayd/machine/',
    may: ['gatewayd/machine/', 'core/{engine,plan}/', 'engines/kit/text.ts', 'node:fs', 'node:path'],
    because: 'what gets in the way on the machine is a pure function of the texts that applyd read',
  },
  { code: 'gatewayd/', may: [anything], because: 'wiring' },

  // The other processes.
  {
    code: 'upgrade/',
    may: ['upgrade/', 'shared/files/', 'shared/pace.ts', 'node:*'],
    because: 'it is copied aside with nothing but these before the program is replaced, and goes on from there',
  },
  {
    code: 'applyd/',
    may: [
      'applyd/',
      'engines/',
      'upgrade/',
      'core/engine/',
      'core/plan/{artifacts,link,live-sets,machine,nft-piece,verbs}.ts',
      'core/contract/error.ts',
      'shared/{files,net}/',
      'shared/{frames,memory,netlink,pace,service-manager}.ts',
      'node:*',
    ],
    because: 'the privileged process loads no npm package and no code that talks to the network',
  },
  { code: 'portald/qr.ts', may: ['portald/', 'qr'], because: 'one place makes QR codes' },
  {
    code: 'portald/',
    may: ['portald/', 'engines/portal/{settings-file,protocol}.ts', 'shared/', 'node:*'],
    because: 'what every host of a local network can talk to has no other code of the gateway in its process',
  },
  {
    code: 'filterd/icap/',
    may: ['filterd/icap/', 'domain/web-filter/morphology/', 'node:crypto', 'node:net', 'node:timers/promises'],
    because: 'services that the proxy asks about bodies, over sockets of loopback',
  },
  {
    code: 'filterd/',
    may: ['filterd/', 'domain/web-filter/', 'engines/web-filter/{index,ask-line}.ts', 'shared/', 'node:*'],
    because: 'the decision process speaks to the proxy, to gatewayd and to applyd over sockets, and knows nothing else',
  },
  {
    code: 'exporters/',
    may: [
      'exporters/',
      'shared/',
      'engines/{flow-export,traffic-classifier}/{index,settings-file}.ts',
      'core/plan/{artifacts,classifier,facts,interception}.ts',
      'node:*',
    ],
    because: 'processes with a right of their own: they read connections or copies of packets and know nothing else',
  },

  // tools
  { code: 'tools/cli/', may: [anything], because: 'the CLI is a client; its own test says what it may load' },
  {
    code: 'tools/{launcher,lab}/',
    may: ['tools/{launcher,lab}/', 'shared/', 'core/engine/accounts.ts', 'core/plan/artifacts.ts', 'node:*'],
    because: 'the launcher runs as root before anything else and must stay small',
  },
  {
    code: 'tools/trial/',
    may: ['tools/trial/', 'core/plan/artifacts.ts', 'node:*'],
    because: 'a separate program that applyd starts as root for a moment',
  },
]

/** The files or modules that a pattern names. */
export function formOf(pattern: string): RegExp {
  const text = pattern
    .replaceAll('.', '\\.')
    .replaceAll('*', pattern === 'node:*' ? '.+' : '[^/]+')
    .replaceAll(/\{([^}]*)\}/g, (_, names: string) => `(?:${names.replaceAll(',', '|')})`)
  return new RegExp(pattern.endsWith('/') ? `^${text}` : `^${text}$`)
}

const words: ReadonlySet<string> = new Set([ownArea, publicFiles, contractFiles, anything])

/** The table as docs/ARCHITECTURE.md shows it. */
const importTableText = (): string =>
  [
    '| Code | May import | Because |',
    '|---|---|---|',
    ...importTable.map(
      ({ code, may, because }) =>
        `| \`${code}\` | ${may.map((one) => (words.has(one) ? one : `\`${one}\``)).join(', ')} | ${because} |`,
    ),
  ].join('\n')

/** The document with the table between its two marks. */
export const withImportTable = (document: string): string =>
  document.replace(
    /(<!-- import table[^\n]*-->\n)[\s\S]*?(<!-- end of the import table -->)/,
    (_, begin: string, end: string) => `${begin}\n${importTableText()}\n\n${end}`,
  )
