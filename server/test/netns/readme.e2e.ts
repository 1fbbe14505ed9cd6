// The README says how the gateway is used: every line of its code blocks runs here, in order, in one new lab, by someone who
// has read nothing else. A line must end with exit code 0 and print what its comment promises; the table below says what else
// is seen, and which lines end with another code. Only these things are filled in: the address of the gateway, and the password and the
// token that the README shows as `...`, because they are different on every machine. A line is repeated only if its comment says so.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { appRoot } from '../../src/tools/launcher/layout.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import {
  blocksOf,
  isEndless,
  mayTakeLonger,
  promisesOf,
  type ReadmeBlock,
  type ReadmeLine,
  readReadme,
} from '../support/readme.ts'
import { lacking } from '../support/requires.ts'
import { patienceMs, until } from '../support/until.ts'

/** Sections whose blocks are tried elsewhere: npm-start.e2e.ts and the tests of the package. */
const elsewhere = ['Two commands', 'On a real machine']

interface Expected {
  /** A part of the line, which must be in the README. */
  readonly line: string
  readonly code?: number
  readonly out?: RegExp
  /** Exit code 1 is as good where nothing but the load and the clock of the machine of this test failed. */
  readonly isOfMachine?: true
}

const expected: readonly Expected[] = [
  { line: './gw login # asks', out: /Signed in to / },
  { line: '--dry-run', out: /automatic_snat_enabled: false -> true|automatic_snat_enabled/ },
  { line: '--confirm 60 ', out: /The change is reverted at / },
  { line: './gw confirm', out: /^Confirmed: revision \d+ stays\.$/ },
  { line: './gw revisions &&', out: /automatic_snat_enabled: true -> false/ },
  { line: 'curl -sm 2 http://www.example.test/', code: 28, out: /^$/ },
  { line: 'lab exec internet -- curl -sm 2', code: 28, out: /^$/ },
  {
    line: 'gw explain tcp 10.10.0.2 198.51.100.10:80 # which rule',
    code: 1,
    out: /^verdict +firewall\.forward\[1\] +drop/m,
  },
  { line: 'gw explain tcp 203.0.113.1', code: 1, out: /^verdict .*drop/m },
  { line: 'getent hosts www.google.com', out: /forcesafesearch/ },
  { line: '-- udhcpc ', out: /lease of 10\.10\.0\.(?:5\d|60) obtained/ },
  { line: './gw get /dhcp_server/leases', out: /^10\.10\.0\.(?:5\d|60) /m },
  { line: './gw audit verify', out: /^The audit trail is intact/ },
  { line: './gw status # enforced', out: /^Authorization is enforced: .* There is 1 session\./, isOfMachine: true },
  { line: './gw get /netscan_backend/devices', out: /^10\.10\.0\.2 .* 1$/m },
  { line: 'get /content-filter/status', out: /^content-filter +active/m },
  { line: 'curl -si http://alcohol.category.example/', out: /alcohol/i },
  { line: 'content-filter/explain', out: /^verdict +deny/m },
  { line: 'get /inspection/channels', out: /^state +active/m },
  { line: '-A Meterpreter', code: 28, out: /Operation timed out .* 0 bytes received/ },
  { line: 'get /security_events/journal limit=1', out: /Meterpreter/ },
  { line: 'get /security_events/top', out: /Meterpreter/ },
  { line: 'gw explain tcp 10.10.0.2 198.51.100.10:80 # which inspection', out: /Template/ },
  { line: './gw status', isOfMachine: true },
  { line: './gw health ', isOfMachine: true },
  { line: './gw logs -f', out: /./ },
  { line: './gw get /events ', out: /^revision \{/ },
  { line: 'get /firewall/log table=FWD', out: /FWD +3 +accept/ },
  { line: './gw logs --unit portcullis-nflog', out: /portcullis-nflog .* table FWD rule 3 / },
  { line: 'get /reports/report/firewall/journal', out: /198\.51\.100\.10/ },
  { line: 'get /web_traffic/journal', out: /alcohol\.category\.example|www\.example\.test/ },
  { line: 'get /web_traffic/top', out: /alcohol\.category\.example/ },
  { line: 'remote_syslog/status', out: /refuses connections/ },
  { line: 'createServer((s) => s.pipe', out: /nflog/ },
  { line: 'snmpget', out: /Timeticks/ },
  { line: '/logs_backend/logs/tail', out: /^data:/m },
  { line: "'Authorization: Bearer", out: /# TYPE / },
]

/** A connection that is logged, once the section has said so. */
const stir = './gw lab exec client -- curl -sm 5 http://www.example.test/ > /dev/null 2>&1'

const lineText = ({ text, comment }: ReadmeLine): string => (comment === '' ? text : `${text} # ${comment}`)
const squeezed = (text: string): string => text.replaceAll(/\s+/g, ' ')
const expectedOf = (line: ReadmeLine): Expected | undefined =>
  expected.find((one) => squeezed(`${lineText(line)} `).includes(squeezed(one.line)))

/** Lines of a status or of the health that failed, but for those about this machine. */
const ownFailures = (out: string): string[] =>
  out.split('\n').filter((row) => /\sfailed\s/.test(row) && !/^(?:load|clock|health) /.test(row))

describe('the README', { skip: lacking('/usr/bin/bash', '/usr/bin/curl') }, () => {
  const all = blocksOf(readReadme())
  const walked = all.filter(({ section }) => !elsewhere.includes(section))
  const sections = [...new Set(walked.map(({ section }) => section))]
  let lab: LabGateway
  let folder = ''
  /** Of the banner of `npm start`. */
  let password = ''
  /** Of the metrics, as a line answered it. */
  let token = ''

  before(async () => {
    lab = await startGateway()
    // The README switches things on that complain in a lab, such as a collector that is not there.
    lab.log.allow(/./)
    folder = mkdtempSync(join(tmpdir(), 'readme-'))
    writeFileSync(join(folder, 'gw'), `#!/bin/sh\nexec '${join(appRoot, 'gw')}' "$@"\n`, { mode: 0o755 })
    password = (await run('./gw admin first-password')).out.trim()
  })
  after(async () => {
    rmSync(folder, { recursive: true, force: true })
    await lab?.stop()
  })

  const start = (text: string): ChildProcess =>
    spawn('/usr/bin/bash', ['-c', text], {
      cwd: folder,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: folder, PORTCULLIS_STATE: lab.stateDir },
    })

  /** Ends with the line; one that does not end is interrupted as soon as it printed `stopAt`. */
  function run(text: string, stopAt?: RegExp): Promise<{ readonly code: number | null; readonly out: string }> {
    const child = start(text)
    let out = ''
    let isStopped = false
    const stop = (signal: NodeJS.Signals): void => {
      isStopped = true
      if (child.pid !== undefined) process.kill(-child.pid, signal)
    }
    const timer = setTimeout(() => stop('SIGKILL'), patienceMs)
    // What follows the log waits for something to happen.
    const stirring = stopAt && setInterval(() => start(stir).once('error', () => {}), 3000)
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (more: string) => {
        out += more
        if (!isStopped && stopAt?.test(out)) stop('SIGINT')
      })
    child.stdin?.on('error', () => {})
    child.stdin?.end(`${password}\n`)
    return new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code) => {
        clearTimeout(timer)
        clearInterval(stirring)
        resolve({ code: isStopped && stopAt?.test(out) ? 0 : code, out })
      })
    })
  }

  const filled = (text: string): string =>
    text
      .replaceAll('https://127.0.0.1:8443', new URL(lab.address).origin)
      .replaceAll('"password":"..."', `"password":"${password}"`)
      .replaceAll('Bearer ...', `Bearer ${token}`)

  function faultOf(line: ReadmeLine, { code, out }: { readonly code: number | null; readonly out: string }) {
    const want = expectedOf(line)
    const isLoaded = want?.isOfMachine && code === 1 && ownFailures(out).length === 0
    if (code !== (want?.code ?? 0) && !isLoaded) return `exit code ${code}`
    if (want?.out && !want.out.test(out.trim())) return `the output does not match ${want.out}`
    const missing = promisesOf(line.comment).find((promise) => !promise.test(out))
    if (missing !== undefined) return `the comment promises ${missing}`
    return line.text.startsWith('curl') && /^\{"code":/.test(out) ? 'the gateway refused it' : null
  }

  async function walk(line: ReadmeLine): Promise<void> {
    const want = expectedOf(line)
    const text = filled(line.text)
    const stopAt = isEndless(line) ? (want?.out ?? /./) : undefined
    let said = await run(text, stopAt)
    if (mayTakeLonger(line) && faultOf(line, said) !== null)
      await until(`the line ends as expected: ${text}`, async () => {
        said = await run(text, stopAt)
        return faultOf(line, said) === null
      }).catch(() => {})
    const fault = faultOf(line, said)
    assert.equal(fault, null, `${fault} of README line\n  ${lineText(line)}\n${said.out}`)
    token = text.includes('/health/metrics_token') ? (/^bearer +([\w-]{30,})$/m.exec(said.out)?.[1] ?? '') : token
  }

  it('has every line that is expected to end in its own way', () => {
    const lines = walked.flatMap((block) => block.lines)
    const unused = expected.filter((one) => !lines.some((line) => expectedOf(line) === one))
    assert.deepEqual(unused, [])
  })

  it('names no file that no line has written', () => {
    const lines = walked.flatMap((block) => block.lines)
    const written = (name: string, before: number): boolean =>
      lines.slice(0, before).some(({ text }) => text.endsWith(`> ${name}`) || text.includes(`-c ${name} `))
    const read = lines.flatMap(({ text }, at) =>
      [...text.matchAll(/(?:--file|-b|--data @) ?([\w.]+)/g)].map(([, name = '']) => ({ name, at })),
    )
    assert.ok(read.length > 1)
    assert.deepEqual(
      read.filter(({ name, at }) => !written(name, at)),
      [],
    )
  })

  for (const section of sections)
    describe(section, () => {
      const blocks: readonly ReadmeBlock[] = walked.filter((block) => block.section === section)
      for (const [index, { lines }] of blocks.entries())
        it(`block ${index + 1}`, async () => {
          for (const line of lines) await walk(line)
        })
    })

  it('is not walked twice: what is tried elsewhere is still there', () => {
    const known = new Set(all.map(({ section }) => section))
    assert.deepEqual(
      elsewhere.filter((section) => !known.has(section)),
      [],
    )
  })
})
