// The writer of the settings of clamd: a directive and its value on a line. Values are numbers and switches only; paths and
// sockets are applyd's. Without imports, because applyd checks with the same table.

/** Every directive of a plan, with the form of its value. */
const directives = {
  MaxThreads: 'number',
  MaxQueue: 'number',
  MaxConnectionQueueLength: 'number',
  ReadTimeout: 'number',
  CommandReadTimeout: 'number',
  SelfCheck: 'number',
  StreamMaxLength: 'number',
  MaxScanSize: 'number',
  MaxFileSize: 'number',
  MaxScanTime: 'number',
  MaxRecursion: 'number',
  MaxFiles: 'number',
  PCREMatchLimit: 'number',
  ConcurrentDatabaseReload: 'switch',
  ExitOnOOM: 'switch',
  AlertExceedsMax: 'switch',
  Bytecode: 'switch',
} as const
export type ClamdDirective = keyof typeof directives

export type ClamdSettings = Readonly<Partial<Record<ClamdDirective, number | boolean>>>

export const printClamd = (settings: ClamdSettings): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name} ${typeof value === 'boolean' ? (value ? 'yes' : 'no') : value}\n`)
    .join('')

/** Every form of a line: the directives above and nothing else. */
export const clamdForms: readonly (string | RegExp)[] = [
  '',
  ...Object.entries(directives)
    .map(([name, value]) => `^${name} ${value === 'number' ? '[0-9]{1,10}' : '(?:yes|no)'}$`)
    .map((ownPattern) => new RegExp(ownPattern, 'u')),
]
