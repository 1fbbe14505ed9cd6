// The README says how the gateway is used: every line of its code blocks runs here, in order, in one lab. A line must end with
// exit code 0 and print what its comment promises, unless the table below says otherwise. Only these things are replaced:
// the address of the gateway, passwords and tokens that the README shows as `...`, and ids that an earlier line answered.
// A section begins with the configuration of a new gateway, so that the rules of one are not in the way of another.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { appRoot } from '../../src/launcher/layout.ts'
import { type LabGateway, startGateway } from '../support/lab-gateway.ts'
import { blocksOf, promisesOf, type ReadmeBlock, type ReadmeLine, readReadme } from '../support/readme.ts'
import { lacking } from '../support/requires.ts'
import { patienceMs, until } from '../support/until.ts'

const password = 'correct horse battery 9'
/** Sections whose blocks are tried elsewhere: npm-start.e2e.ts and the tests of the package. */
const elsewhere = ['Two commands', 'On a real machine']

interface Expected {
  /** A part of the line, which must be in the README. */
  readonly line: string
  readonly code?: number
  readonly out?: RegExp
  /** Repeated until it is as expected: engines take their time. */
  readonly isRepeated?: true
  /** It goes on until Ctrl-C; it is interrupted when it has printed this. */
  readonly until?: RegExp
  /** Exit code 1 is as good where nothing but the load and the clock of the machine of this test failed. */
  readonly isOfMachine?: true
  /** Lines that README expects to have run before, in words only. */
  readonly first?: readonly string[]
}

const leasing = {
  ...{ dns: [], domain: '', gateway: '', lease_time: 60, options: [], ranges: ['10.10.0.50-10.10.0.60'], routes: [] },
  ...{ tftp_filename: '', tftp_server: '', wins: [], wpad_enabled: false },
}
/** The interface of the lab's local network, and an entry that is on. */
const dhcpOn = [
  'id=$(./gw get /network/connections --json | node -e \'const a=JSON.parse(require("fs").readFileSync(0));console.log(a.find((c)=>c.type==="lan").id)\') &&',
  `./gw post /dhcp_server/settings enabled=true interface=$id relay=null server:='${JSON.stringify(leasing)}'`,
].join(' ')

/** The cookies of an earlier section. */
const signedIn = `curl -sk -c jar https://127.0.0.1:8443/web/auth/login -d '{"login":"admin","password":"...","rest_path":"/"}'`

const expected: readonly Expected[] = [
  { line: 'curl -sm 2 http://www.example.test/', code: 28, out: /^$/ },
  { line: 'lab exec internet -- curl -sm 2', code: 28, out: /^$/ },
  { line: 'gw explain tcp 10.10.0.2 198.51.100.10:80                  # which rule', code: 1, out: /drop/ },
  { line: 'gw explain tcp 203.0.113.1', code: 1, out: /drop/ },
  { line: '--dry-run', out: /automatic_snat_enabled/ },
  { line: 'getent hosts www.google.com', out: /forcesafesearch/, isRepeated: true },
  { line: '-- udhcpc ', out: /lease of 10\.10\.0\.5\d obtained/, first: [dhcpOn], isRepeated: true },
  { line: 'curl http://alcohol.category.example/', out: /alcohol/i, isRepeated: true },
  { line: 'content-filter/explain', out: /deny/, isRepeated: true },
  { line: 'patch /content-filter/state', isRepeated: true },
  { line: 'get /inspection/channels', out: /active/, isRepeated: true },
  { line: '-A Meterpreter', code: 28, out: /^[^<]*$/, isRepeated: true },
  { line: 'get /security_events/journal limit=1', out: /signature|profile/i, isRepeated: true },
  { line: './gw status', isOfMachine: true },
  { line: './gw health ', isOfMachine: true },
  { line: './gw logs -f', until: /./ },
  { line: './gw get /events ', until: /./ },
  { line: 'get /firewall/log table=FWD', out: /FWD/, isRepeated: true },
  { line: './gw logs --unit portcullis-nflog', out: /portcullis-nflog/, isRepeated: true },
  { line: 'remote_syslog/status', out: /refuses connections/, isRepeated: true },
  { line: 'createServer((s) => s.pipe', until: /nflog/ },
  { line: 'snmpget', out: /Timeticks/, isRepeated: true },
  { line: '/logs_backend/logs/tail', until: /data:/, first: [signedIn] },
  { line: "'Authorization: Bearer", out: /# TYPE /, isRepeated: true },
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
  /** What earlier lines answered: the token of the metrics, the id of the last rule. */
  let token = ''
  let rule = ''

  before(async () => {
    lab = await startGateway({ adminPassword: password })
    // The README switches things on that complain in a lab, such as a collector that is not there.
    lab.log.allow(/./)
    folder = mkdtempSync(join(tmpdir(), 'readme-'))
    writeFileSync(join(folder, 'gw'), `#!/bin/sh\nexec '${join(appRoot, 'gw')}' "$@"\n`, { mode: 0o755 })
    writeFileSync(join(folder, 'my.rules'), 'alert tcp any any -> any 9 (msg:"README"; sid:1001; rev:1;)\n')
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
      .replaceAll('psw=...', `psw='${password}'`)
      .replaceAll('"password":"..."', `"password":"${password}"`)
      .replaceAll('Bearer ...', `Bearer ${token}`)
      .replaceAll('rule_id=1', `rule_id=${rule}`)

  function faultOf(line: ReadmeLine, { code, out }: { readonly code: number | null; readonly out: string }) {
    const want = expectedOf(line)
    const isLoaded = want?.isOfMachine && code === 1 && ownFailures(out).length === 0
    if (code !== (want?.code ?? 0) && !isLoaded) return `exit code ${code}`
    if (want?.out && !want.out.test(out.trim())) return `the output does not match ${want.out}`
    const missing = promisesOf(line.comment).find((promise) => !out.includes(promise))
    if (missing !== undefined) return `the comment promises ${missing}`
    return line.text.startsWith('curl') && /^\{"code":/.test(out) ? 'the gateway refused it' : null
  }

  async function walk(line: ReadmeLine): Promise<void> {
    const want = expectedOf(line)
    for (const before of want?.first ?? []) {
      const { code, out } = await run(filled(before))
      assert.equal(code, 0, `${before}\n${out}`)
    }
    const text = filled(line.text)
    let said = await run(text, want?.until)
    if (want?.isRepeated && faultOf(line, said) !== null)
      await until(`the line ends as expected: ${text}`, async () => {
        said = await run(text, want.until)
        return faultOf(line, said) === null
      }).catch(() => {})
    const fault = faultOf(line, said)
    assert.equal(fault, null, `${fault} of README line\n  ${lineText(line)}\n${said.out}`)
    token = text.includes('/health/metrics_token') ? (/[\w-]{30,}/.exec(said.out)?.[0] ?? '') : token
    rule = text.includes('post /firewall/rules/forward') ? (/^id\s+(\d+)/m.exec(said.out)?.[1] ?? rule) : rule
  }

  async function renew(): Promise<void> {
    const { code, out } = await run('./gw login && (./gw put-back || true) && ./gw revert 2')
    assert.equal(code, 0, out)
  }

  it('has every line that is expected to end in its own way', () => {
    const lines = walked.flatMap((block) => block.lines)
    const unused = expected.filter((one) => !lines.some((line) => expectedOf(line) === one))
    assert.deepEqual(unused, [])
  })

  for (const section of sections)
    describe(section, () => {
      if (section !== sections[0]) before(renew)
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
