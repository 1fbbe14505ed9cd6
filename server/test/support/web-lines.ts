// Lines of the access log of the web proxy for tests, and the web traffic journal as tests read it.

const usual = {
  t: 0,
  ms: 1,
  src: '10.10.0.2',
  dst: '198.51.100.20',
  port: '80',
  via: 'http',
  user: '-',
  uid: '-',
  st: 200,
  in: 119,
  out: 1443,
  m: 'GET',
  u: 'http://site.test/',
  sni: '-',
  mode: '-',
  tls: '-',
  v: 'allow',
  vr: '-',
  vt: '-',
  rule: '-',
  cat: '-',
  why: 'rule',
  ct: 'text/html',
  ua: 'curl/7.88.1',
  ref: '-',
  words: '-',
  virus: '-',
  err: '-',
}

/** As the proxy writes it, with the end of the line. */
export const webLine = (fields: Partial<Record<keyof typeof usual, string | number>>): string =>
  `${JSON.stringify({ ...usual, ...fields })}\n`

/** What a test has to ask a gateway with. */
interface Asking {
  ok(method: 'GET', path: string): Promise<unknown>
}

export type JournalRow = Readonly<Record<string, string | number>>

/** Records of the web traffic journal, newest first; with a host only those of it. */
export async function readWebJournal(api: Asking, host?: string): Promise<readonly JournalRow[]> {
  const filter = JSON.stringify(
    host === undefined ? [] : [{ items: [{ column_name: 'host', operator: 'equals', value: [host] }] }],
  )
  const answer = await api.ok('GET', `/web_traffic/journal?limit=1000&filter=${encodeURIComponent(filter)}`)
  return (answer as { readonly data: readonly JournalRow[] }).data
}
