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
export const publicFiles = '`public.ts` and `contract.ts` of other areas'
export const contractFiles = '`contract.ts` of other areas'
export const anything = 'anything'

const pure = ['contract/', 'model/', 'logs/', 'plan/{artifacts,facts,inspection,link}.ts']
const area = [ownArea, publicFiles]

/** The first row that fits a file judges it; a file that no row fits fails the test. */
export const importTable: readonly Row[] = [
  { code: 'areas/index.ts', may: ['areas/*/index.ts', 'http/handle.ts'], because: 'it is only the list' },
  {
    code: 'areas/*/contract{,-*}.ts',
    may: [ownArea, contractFiles, 'contract/', 'net/', 'typebox'],
    because: 'the console and the CLI load contracts, so they import nothing else',
  },
  {
    code: 'areas/*/status{,-*}.ts',
    may: [...area, 'engines/', 'system/', 'net/', 'web-filter/protocol.ts', 'http/handle.ts', ...pure],
    because: 'a status reports what was read, and never changes or applies anything',
  },
  {
    code: 'areas/*/{routes,routes-*,jobs,jobs-*,index,token}.ts',
    may: [
      ...area,
      ...['http/{handle,routes}.ts', 'workers/{slices,shared-facts}.ts', 'policy/', 'net/', 'signatures/', ...pure],
      ...[
        'applications/',
        'portal/protocol.ts',
        'web-filter/',
        'version.ts',
        'jose',
        'node:crypto',
        'node:timers/promises',
      ],
    ],
    because: 'areas see the handler context, never Fastify, the store or the applier',
  },
  {
    code: 'areas/',
    may: [
      ...[...area, 'engines/', 'net/', 'render/', 'policy/', 'signatures/', 'web-filter/', 'config/change.ts'],
      ...['applications/', ...pure, 'plan/sealed.ts', 'typebox'],
    ],
    because: 'everything else in an area is pure: a clock, a file or a process in it could not be tested as data',
  },
  {
    code: 'contract/',
    may: ['contract/', 'typebox'],
    because: 'everything imports the wire contract and a browser bundles it, so it imports nothing',
  },
  {
    code: 'logs/',
    may: ['logs/', 'contract/', 'policy/schedule.ts'],
    because: 'kinds, records and views of the log, and the interface of its store, as data',
  },
  {
    code: 'model/',
    may: ['model/', 'contract/', 'typebox'],
    because: 'configuration as data: slots, declarations, references and secrets know neither areas nor the machine',
  },
  {
    code: 'engines/',
    may: ['engines/', 'plan/artifacts.ts'],
    because: 'both sides of the socket read what an engine is, so it is data',
  },
  {
    code: '{render,net}/',
    may: ['render/', 'net/', 'plan/{artifacts,sealed}.ts', 'node:crypto'],
    because: 'writers and value types are pure and do not know areas',
  },
  {
    code: 'policy/',
    may: ['policy/', 'net/', 'render/', 'engines/', 'plan/{nft-piece,live-sets,interception,classifier}.ts', ...pure],
    because: 'what a policy means, does and lacks is a pure function of it',
  },
  {
    code: 'signatures/',
    may: ['signatures/', 'net/', 'plan/inspection.ts'],
    because: 'what a rule of the intrusion prevention engine says is a pure function of its text',
  },
  {
    code: 'applications/',
    may: ['applications/', 'signatures/numbering.ts'],
    because: 'how an application is recognised is data',
  },
  {
    code: 'web-filter/*.ts',
    may: ['web-filter/*.ts', 'net/'],
    because: 'the decision about a web request is a pure function of the policy and the request',
  },
  {
    code: 'trial/',
    may: ['trial/', 'plan/artifacts.ts', 'node:*'],
    because: 'a separate program that applyd starts as root for a moment',
  },
  {
    code: 'plan/',
    may: ['plan/', 'contract/', 'model/', 'node:crypto'],
    because: 'a plan is a pure function of configuration and facts',
  },
  {
    code: 'config/',
    may: ['config/', 'contract/', 'model/', 'plan/', 'database/', 'workers/slices.ts', 'node:crypto', 'node:util'],
    because: 'the only way to change the configuration knows neither areas nor HTTP',
  },
  {
    code: 'database/',
    may: ['database/', 'contract/error.ts', 'node:fs', 'node:sqlite'],
    because: 'only this folder knows the file format',
  },
  {
    code: 'workers/',
    may: ['workers/', ...pure, 'node:*'],
    because: 'threads for work that grows with data, whoever asks for it; the entry of a worker is beside what it runs',
  },
  {
    code: 'runtime/health/mail.ts',
    may: ['runtime/', 'contract/health.ts', 'nodemailer', 'node:net'],
    because: 'one place speaks SMTP',
  },
  {
    code: 'runtime/backups/ftp-upload.ts',
    may: ['runtime/', 'basic-ftp', 'node:stream'],
    because: 'one place speaks FTP',
  },
  {
    code: 'runtime/portal/{requests,socket}.ts',
    may: ['runtime/', 'portal/protocol.ts', 'applyd/frames.ts', 'node:fs', 'node:net', 'node:path'],
    because: 'the socket of the portal has the frames of that of applyd',
  },
  {
    code: 'runtime/web-filter/{socket,session-pusher}.ts',
    may: ['runtime/', 'web-filter/{protocol,model}.ts', 'applyd/frames.ts', 'node:*'],
    because: 'the socket of the decision process has the frames of that of applyd',
  },
  {
    code: 'runtime/logs/server-store/',
    may: [
      ...['runtime/', 'workers/', 'render/clickhouse.ts', 'policy/schedule.ts', ...pure],
      ...['node:crypto', 'node:fs', 'node:http', 'node:https'],
    ],
    because: 'one place speaks to the log server, in SQL that a writer quotes',
  },
  {
    code: 'runtime/web-filter/categories.ts',
    may: ['runtime/', 'workers/', 'web-filter/model.ts', 'web-filter/categories/', 'contract/error.ts', 'node:*'],
    because: 'the owner of the category index has it built and reads it',
  },
  {
    code: 'runtime/signatures/',
    may: [
      ...['runtime/', 'workers/', 'signatures/', 'web-filter/categories/{list-archive,refused}.ts'],
      ...['contract/error.ts', 'node:*'],
    ],
    because:
      'rules that come in are read and judged with the parser of signatures, and unpacked like lists of categories',
  },
  {
    code: 'runtime/logs/sources/{security-events,seen-events}.ts',
    may: ['runtime/', 'signatures/eve-line.ts', ...pure],
    because: 'the thread of the log reads the lines of the inspection engine with the parser of signatures',
  },
  {
    code: 'runtime/logs/sources/web-requests.ts',
    may: ['runtime/', 'web-filter/access-line.ts', ...pure],
    because: 'the thread of the log reads the lines of the web proxy with the parser of the content filter',
  },
  {
    code: 'runtime/upgrades/',
    may: [
      ...['runtime/', 'files/signed-package.ts', 'upgrade/{judge,places,record}.ts', 'contract/error.ts', 'node:*'],
    ],
    because: 'an uploaded package is judged as root judges it',
  },
  {
    code: 'runtime/inspection/',
    may: [...['runtime/', 'workers/', 'signatures/', 'net/', 'plan/inspection.ts', 'pace.ts', ...pure], 'node:*'],
    because: 'the owner of the rules of the inspection engine has them made, and tests what is in force',
  },
  {
    code: 'runtime/',
    may: ['runtime/', 'database/', 'workers/', 'net/', 'plan/live-sets.ts', 'pace.ts', ...pure, 'node:*'],
    because: 'runtime state is kept beside the configuration and does not depend on it',
  },
  {
    code: 'http/websocket.ts',
    may: ['http/', 'contract/error.ts', 'runtime/source.ts', 'ws', 'node:*'],
    because: 'one place speaks WebSocket',
  },
  {
    code: 'http/',
    may: [
      ...['http/', 'config/', 'runtime/', 'workers/', 'signatures/', 'plan/area.ts', 'pace.ts', ...pure],
      ...['fastify', 'ajv', 'ajv/dist/compile/util.js', 'fast-json-stringify', 'typebox', 'asn1js', 'pkijs', 'node:*'],
    ],
    because: 'HTTP neither renders nor applies, and knows areas only as routes',
  },
  {
    code: 'apply/',
    may: [
      ...['apply/', 'plan/{artifacts,sealed,verbs}.ts', 'contract/error.ts', 'config/engine.ts', 'runtime/logs/log.ts'],
      ...['applyd/frames.ts', 'pace.ts', 'node:crypto', 'node:net', 'node:events', 'node:timers/promises'],
    ],
    because: 'the client of applyd and the reconcile loop, nothing else',
  },
  {
    code: 'system/',
    may: ['system/', 'net/', 'signatures/', 'engines/', 'plan/interception.ts', ...pure, 'node:*'],
    because: 'it only reads the machine and does not know areas',
  },
  {
    code: 'files/',
    may: ['files/', 'node:*'],
    because: 'root opens files of the state folder only through it, so it stays small and knows nothing',
  },
  {
    code: 'upgrade/',
    may: ['upgrade/', 'files/', 'pace.ts', 'node:*'],
    because: 'it is copied aside with nothing but these before the program is replaced, and goes on from there',
  },
  {
    code: 'applyd/',
    may: [
      ...[
        'applyd/',
        'upgrade/',
        'engines/',
        'files/',
        'render/{clamd,flow-export,portal,squid,suricata-yaml,unbound,wpad}.ts',
        'web-filter/{block-page,policy-file}.ts',
        'web-filter/filterd/ask-line.ts',
        'plan/{artifacts,inspection,interception,link,live-sets,nft-piece,verbs}.ts',
      ],
      ...['contract/error.ts', '{memory,pace,service-manager}.ts', 'node:*'],
    ],
    because: 'the privileged process loads no npm package and no code that talks to the network',
  },
  {
    code: '{launcher,lab}/',
    may: ['launcher/', 'lab/', 'files/', 'engines/accounts.ts', 'plan/artifacts.ts', 'node:*'],
    because: 'the launcher runs as root before anything else and must stay small',
  },
  {
    code: 'portal/qr.ts',
    may: ['portal/', 'qr'],
    because: 'one place makes QR codes',
  },
  {
    code: 'portal/',
    may: ['portal/', 'render/portal.ts', 'node:*'],
    because: 'what every host of a local network can talk to has no other code of the gateway in its process',
  },
  {
    code: 'flows/',
    may: [
      ...['flows/', 'net/', 'render/flow-export.ts', 'plan/{facts,interception}.ts', 'applyd/kernel/netlink.ts'],
      ...['node:dgram', 'node:ffi', 'node:fs', 'node:timers/promises'],
    ],
    because: 'a separate process with a right of its own: it reads connections, sends flows and knows nothing else',
  },
  {
    code: 'classifier/',
    may: [
      ...[
        'classifier/',
        'flows/{netlink-socket,table,tracked}.ts',
        'net/',
        'plan/{classifier,facts}.ts',
        'applyd/kernel/netlink.ts',
      ],
      ...['node:child_process', 'node:fs', 'node:fs/promises', 'node:timers/promises'],
    ],
    because: 'a separate process with a right of its own: it reads copies of packets and knows nothing else',
  },
  {
    code: 'web-filter/morphology/stems.ts',
    may: ['@orama/stemmers/russian', 'porter2'],
    because: 'one place knows the packages of the stemmers',
  },
  {
    code: 'web-filter/morphology/',
    may: ['web-filter/morphology/', 'node:events', 'node:stream', 'node:timers/promises', 'node:zlib'],
    because: 'the text of a page is judged by itself: it knows neither rules nor the proxy',
  },
  {
    code: 'web-filter/icap/',
    may: ['web-filter/icap/', 'web-filter/morphology/', 'node:crypto', 'node:net', 'node:timers/promises'],
    because: 'services that the proxy asks about bodies, over sockets of loopback',
  },
  {
    code: 'web-filter/categories/',
    may: ['web-filter/categories/', 'web-filter/model.ts', 'workers/serve.ts', 'contract/error.ts', 'node:*'],
    because: 'the category index is built in a worker of gatewayd and read by the decision process, from files',
  },
  {
    code: 'web-filter/filterd/name-certificates.ts',
    may: ['http/certificate-maker.ts', 'node:*'],
    because: 'certificates are made in one place; no other part of the web server is loaded with it',
  },
  {
    code: 'web-filter/filterd/',
    may: ['web-filter/', 'net/', 'applyd/frames.ts', 'node:*'],
    because: 'the decision process speaks to the proxy, to gatewayd and to applyd over sockets, and knows nothing else',
  },
  { code: 'cli/', may: [anything], because: 'the CLI is a client; its own test says what it may load' },
  {
    code: '{memory,pace,service-manager}.ts',
    may: ['node:*'],
    because: 'both processes use them, so they know neither',
  },
  {
    code: '{agent-sockets,app,configuration,main,first-start,inspector,portald,filterd,flow-exporter,traffic-classifier,reader,log-worker,log-writer,log-forwarder,log-views,log-sources,log-server,local-log,own-upgrades,settings,version}.ts',
    may: [anything],
    because: 'wiring',
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
