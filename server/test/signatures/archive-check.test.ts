// An archive of rules and custom signatures judged by the Suricata of this machine: what it refuses is named by file and line, and
// what is left can be loaded.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { SignatureIntake } from '../../src/areas/intrusion-prevention/runs/intake.ts'
import { starterFile } from '../../src/areas/intrusion-prevention/runs/signature-files.ts'
import { faultsIn } from '../../src/engines/inspection/applyd/check.ts'
import { tarOf } from '../support/list-archive.ts'
import { lacking } from '../support/requires.ts'
import { until } from '../support/until.ts'

const program = '/usr/bin/suricata'
const skip = lacking(program)

const settings = (folder: string): string =>
  `%YAML 1.1
---
vars:
  address-groups: { HOME_NET: "[10.0.0.0/8]", EXTERNAL_NET: "!$HOME_NET", HTTP_SERVERS: "$HOME_NET", SMTP_SERVERS: "$HOME_NET",
    SQL_SERVERS: "$HOME_NET", DNS_SERVERS: "$HOME_NET", TELNET_SERVERS: "$HOME_NET", DC_SERVERS: "$HOME_NET" }
  port-groups: { HTTP_PORTS: "80", SSH_PORTS: "22", FTP_PORTS: "21", FILE_DATA_PORTS: "[80,110,143]" }
default-log-dir: ${folder}
outputs: []
classification-file: /etc/suricata/classification.config
reference-config-file: /etc/suricata/reference.config
`

let folder = ''
let intake: SignatureIntake

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'portcullis-suricata-'))
  writeFileSync(join(folder, 'check.yaml'), settings(folder))
  intake = new SignatureIntake({
    folder: join(folder, 'signatures'),
    candidates: join(folder, 'candidates'),
    check: async (id) => ({ status: 'checked', faults: await suricata(join(folder, 'candidates', `${id}.rules`)) }),
    maxArchives: 4,
    now: () => new Date(),
    room: () => Number.MAX_SAFE_INTEGER,
    onChange: () => {},
    onFault: (error) => assert.fail(String(error)),
  })
})
after(async () => {
  await intake.close()
  rmSync(folder, { recursive: true, force: true })
})

const suricata = (rules: string): Promise<ReturnType<typeof faultsIn>> =>
  new Promise((resolve, reject) => {
    const args = ['-T', '-c', join(folder, 'check.yaml'), '-S', rules, '-l', folder]
    execFile(program, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const faults = faultsIn(`${stdout}\n${stderr}`)
      if (error && faults.length === 0) reject(new Error(stderr))
      else resolve(faults)
    })
  })

const header = 'alert tcp any any -> any any'
const good = `${header} (msg:"good"; content:"a"; sid:2900001;)`
/** What our own reading does not see. */
const twoProtocols = `${header} (msg:"two"; http.uri; content:"a"; dns.query; content:"b"; sid:2900002;)`
const badExpression = `${header} (msg:"pcre"; pcre:"/(/"; sid:2900003;)`

it('names what Suricata refuses of an archive, and uses the rest', { skip }, async () => {
  const bytes = gzipSync(
    tarOf([
      { name: 'rules/starter.rules', content: readFileSync(starterFile) },
      { name: 'rules/own.rules', content: `# own\n${good}\n\n${twoProtocols}\n${badExpression}\n` },
    ]),
  )
  async function* chunks(): AsyncGenerator<Buffer> {
    yield bytes
  }
  await intake.archives.receive('open', chunks(), () => {})
  await until('it is checked', () => intake.archives.list()[0]?.state === 'active')
  const [archive] = intake.archives.list()
  assert.deepEqual(
    archive?.report.failed.map(({ file, line, sid }) => [file, line, sid]),
    [
      ['own.rules', 4, 2_900_002],
      ['own.rules', 5, 2_900_003],
    ],
  )
  assert.match(archive?.report.failed[1]?.reason ?? '', /inspection engine does not take it: .*parenthes/)
  const [active] = intake.archives.active()
  assert.ok(active)
  assert.deepEqual(await suricata(active.rules), [])
  assert.match(readFileSync(active.rules, 'utf8'), /sid:2900001/)
})

it('judges single signatures', { skip }, async () => {
  assert.deepEqual(await intake.check([good]), { status: 'checked', faults: [] })
  const verdict = await intake.check([good, badExpression])
  assert.ok(verdict.status === 'checked')
  assert.deepEqual(
    verdict.faults.map(({ line }) => line),
    [2],
  )
})
