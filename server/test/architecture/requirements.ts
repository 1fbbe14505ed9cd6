// Our eighty security requirements and the tests that show them. A test file names the requirements that it shows in a comment at
// its beginning ("Requirements 3 and 12."); docs/security.md is made of both, and npm run golden writes it.

import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

interface Requirement {
  readonly title: string
  /** What no test shows yet. Without it, and with a test, the requirement is held. */
  readonly missing?: string
}

/** In the order of their numbers. */
export const requirements: readonly Requirement[] = [
  { title: 'Passwords: length, exact comparison, no common ones' },
  { title: 'Hashes: argon2id, few at once, never on the event loop' },
  {
    title: 'Guessing is blocked, the owner still gets in',
    missing: 'that the answers take the same time is not measured by a test',
  },
  { title: 'Session identifiers: random, stored as hashes, both needed' },
  { title: 'Cookies: attributes, path' },
  { title: 'No fixation' },
  { title: 'End of a session counts for the very next request' },
  { title: 'Lifetime of sessions; fresh sign-in' },
  { title: 'Sign-ins are on record' },
  { title: 'No defaults', missing: 'the list of 100 default pairs, a byte by byte comparison of two installations' },
  {
    title: 'Directories, RADIUS, second factor',
    missing: 'sign-in by a directory and by RADIUS does not exist yet; administrators have no second factor',
  },
  { title: 'Role and endpoint: one table' },
  { title: 'Objects and fields: no way up' },
  { title: 'Access is decided on the route' },
  { title: 'Headers that claim something change nothing' },
  { title: 'Cross-site requests change nothing' },
  {
    title: 'Agent: states of the conversation',
    missing: 'agents cannot be authorized yet, so there are no device certificates',
  },
  { title: 'Agent: limits' },
  { title: 'Reports of agents are untrusted', missing: 'agents report nothing yet' },
  {
    title: 'Every door is the same',
    missing: 'the list of listening sockets; the link to the central console does not exist yet',
  },
  { title: 'Strict schemas' },
  { title: 'Read-only and write-only fields', missing: 'each such field in `sort`, `filter` and `columns`' },
  { title: 'One reading of JSON' },
  { title: 'Text that may reach a daemon' },
  { title: 'Typed writers' },
  { title: 'A hostile value never changes a directive', missing: 'generated cases and fuzzing of each writer' },
  { title: 'No shell; no argument that begins with `-`', missing: 'a trace of all processes of an end-to-end run' },
  { title: 'No secrets in arguments, environments or readable files', missing: 'a watch over every job' },
  { title: 'Queries: bound parameters, fixed statements' },
  { title: 'Other languages: one escaper each', missing: 'mail, whose engine does not exist yet' },
  { title: 'Outgoing connections', missing: 'thirty spellings for each field' },
  { title: 'Regular expressions are simple' },
  { title: 'HTTP framing' },
  { title: 'Time and size of requests' },
  { title: 'Fair share' },
  { title: 'TLS', missing: 'testssl.sh before a release' },
  { title: 'HSTS' },
  { title: 'Content security policy of the console' },
  { title: 'Headers of every reply' },
  { title: 'No caching', missing: 'what a browser keeps during a session; what is left after a sign-out is tested' },
  { title: 'Downloads are attachments' },
  { title: 'Secrets at rest' },
  { title: 'Secrets are never shown' },
  { title: 'Secrets are in no log' },
  { title: 'Uploads are bounded' },
  { title: 'Archives are read with care' },
  { title: 'Backups are sealed and signed', missing: 'agent packages, which do not exist yet' },
  { title: 'Restore obeys rights' },
  {
    title: 'Two processes',
    missing:
      'root runs some 13,400 lines, 10,200 of them without the engines, not 1,500; the nft library runs inside applyd (decision 48): a fault in it ends the process',
  },
  {
    title: 'Sandbox of gatewayd',
    missing:
      'all engines were run in the units by hand on booted machines of both releases (decision 86), not by a test',
  },
  { title: 'Verbs of applyd' },
  { title: 'applyd distrusts gatewayd' },
  {
    title: 'Daemons have their own users and a sandbox',
    missing: 'a filter of system calls; unbound, dnsmasq and ulogd begin as root with few capabilities and drop it',
  },
  { title: 'The audit trail shows tampering' },
  { title: 'Errors reveal nothing' },
  { title: 'Supply chain' },
  { title: 'An answered change is kept' },
  {
    title: 'Power cut',
    missing:
      'needs virtual machines; a boot after a machine was killed in the middle of an upgrade was tried by hand (decision 90)',
  },
  { title: 'Apply is all or nothing' },
  { title: 'Bad daemons', missing: 'all eight faults for every engine' },
  { title: 'Own lock-out', missing: 'a reboot in between' },
  { title: 'Disk full' },
  { title: 'Read-only disk and I/O errors' },
  { title: 'Damage is noticed' },
  { title: 'Versions' },
  { title: 'Boot' },
  { title: 'Clock' },
  { title: 'Conflicts' },
  {
    title: 'Event loop',
  },
  { title: 'API load', missing: 'by day with smaller numbers, and figures are printed, not judged' },
  { title: 'Agents', missing: 'agents cannot be authorized yet' },
  { title: 'Slow clients' },
  { title: 'Floods', missing: 'the full SYN rate, and the traffic meanwhile' },
  { title: 'No leaks' },
  { title: 'Independence', missing: 'VPN and mail, which do not exist yet' },
  { title: 'Honest status' },
  { title: 'Negative controls', missing: 'planted faults for each test' },
  { title: 'Ledger of faults' },
  { title: 'Mutation testing', missing: 'no tool for mutation tests has been chosen' },
  { title: 'Published figures', missing: 'the report of a release' },
]

const repository = join(import.meta.dirname, '..', '..', '..')
const files = ['server/{src,test}/**/*.{test,e2e}.ts', 'server/test/support/golden.ts', 'web/test/**/*.{test,e2e}.ts']
const tag = /^\/\/ Requirements? ([\d, and]+)\.$/m

/** By number, the files whose first comment names it. */
export function testsByRequirement(): ReadonlyMap<number, readonly string[]> {
  const named = globSync(files, { cwd: repository }).toSorted()
  const pairs = named.flatMap((path) => {
    const head = /^(?:\/\/.*\n)*/.exec(readFileSync(join(repository, path), 'utf8'))?.[0] ?? ''
    return [...(tag.exec(head)?.[1] ?? '').matchAll(/\d+/g)].map(([number]) => ({ number: Number(number), path }))
  })
  return new Map(
    [...Map.groupBy(pairs, ({ number }) => number)].map(([number, of]) => [number, of.map(({ path }) => path)]),
  )
}

const nameOf = (path: string): string => basename(path).replace(/\.(?:test|e2e)?\.?ts$/, '')

function rowOf({ title, missing = '' }: Requirement, number: number, tests: readonly string[]): string {
  const state = tests.length === 0 ? 'not yet' : missing === '' ? 'held' : 'partly'
  const links = tests.map((path) => `[${nameOf(path)}](../${path})`).join(', ')
  return `| ${[number, title, state, links, missing].join(' | ')} |`
}

const table = /(\|---\|---\|---\|---\|---\|\n)(?:\|.*\n)*/

/** The document with its table made again. */
export function withRequirements(document: string): string {
  const tests = testsByRequirement()
  const rows = requirements.map((one, index) => `${rowOf(one, index + 1, tests.get(index + 1) ?? [])}\n`)
  return document.replace(table, (_, head: string) => head + rows.join(''))
}
