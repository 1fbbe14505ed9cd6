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

/** Faults of a text: anything but the directives above. */
export const clamdFaults = (text: string): readonly string[] =>
  text.split('\n').flatMap((line, index) => {
    const [, name = '', value = ''] = /^([A-Za-z]{1,40}) ([0-9]{1,10}|yes|no)$/.exec(line) ?? []
    const form = Object.hasOwn(directives, name) ? directives[name as ClamdDirective] : undefined
    const isAllowed =
      line === '' || (form === 'number' ? /^[0-9]+$/.test(value) : form === 'switch' && !/^[0-9]/.test(value))
    return isAllowed ? [] : [`Line ${index + 1} is not allowed in the settings of the antivirus program.`]
  })
