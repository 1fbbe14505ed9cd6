// Classes of attacks in every place and form, before the real engine with the settings of ours that matter: each is recognised by a
// signature of its class, but for those that are listed with the reason, which are not.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { starterFile } from '../../src/areas/intrusion-prevention/runs/signature-files.ts'
import { checkingSettings } from '../../src/engines/inspection/applyd/settings.ts'
import { suricataSettings } from '../../src/engines/inspection/suricata-yaml.ts'
import { lacking } from '../support/requires.ts'
import { recordTraffic } from './capture.ts'
import { attacks, firstOfForms, forms, harmless, requestOf, unseenForms } from './encodings.ts'

const program = process.env.PORTCULLIS_SURICATA ?? '/usr/bin/suricata'

const matrix = Object.entries(attacks).flatMap(([kind, list]) =>
  list.flatMap(({ sign, text }) =>
    Object.entries(forms).map(([form, write]) => ({ kind, form, sign, text, request: write(text) })),
  ),
)
const quiet = harmless.flatMap((text) =>
  Object.entries(forms).map(([form, write]) => ({ form, text, request: write(text) })),
)
const isListed = ({ form }: { readonly form: string }): boolean => form in unseenForms

describe('classes of attacks in every place and form', { skip: lacking(program) }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-encodings-'))
  let seen: ReadonlySet<string>[] = []

  before(() => {
    const places = { work: folder, rulesFile: starterFile, captures: folder, commandSocket: join(folder, 'socket') }
    const output =
      'outputs: [ { eve-log: { enabled: yes, filetype: regular, filename: eve.json, types: [ alert ] } } ]\n'
    const settings = suricataSettings({ homeNetworks: ['10.0.0.0/8'] }) + checkingSettings(places)
    writeFileSync(join(folder, 'suricata.yaml'), `${settings}${output}stats: { enabled: no }\n`)
    const { file, ports } = recordTraffic([...matrix, ...quiet].map(({ request }) => requestOf(request)))
    writeFileSync(join(folder, 'all.pcap'), file)
    const args = ['-c', join(folder, 'suricata.yaml'), '-S', starterFile, '-l', folder, '-k', 'none']
    const { status, stdout, stderr } = spawnSync(program, [...args, '-r', join(folder, 'all.pcap')], {
      encoding: 'utf8',
    })
    assert.equal(status, 0, stdout + stderr)
    const alerts = readFileSync(join(folder, 'eve.json'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { src_port: number; dest_port: number; alert: { signature: string } })
    const byPort = Map.groupBy(alerts, ({ src_port, dest_port }) => Math.max(src_port, dest_port))
    seen = ports.map(
      (own) => new Set([...own].flatMap((port) => (byPort.get(port) ?? []).map(({ alert }) => alert.signature))),
    )
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const isSeen = (index: number): boolean => [...(seen[index] ?? [])].some((name) => matrix[index]?.sign.test(name))
  const named = ({ kind, form, text }: (typeof matrix)[number]): string => `${kind} | ${form} | ${text}`

  it('are recognised, each by a signature of its class', () => {
    const missed = matrix.filter((one, index) => !isListed(one) && !isSeen(index)).map(named)
    assert.deepEqual(missed, [])
  })

  it('need every signature that was written for them', () => {
    const hit = new Set(seen.flatMap((names) => [...names]))
    const rules = readFileSync(starterFile, 'utf8').matchAll(/\(msg:"([^"]+)".* sid:(\d+);/g)
    const idle = [...rules].filter(([, name = '', sid]) => Number(sid) >= firstOfForms && !hit.has(name))
    assert.deepEqual(
      idle.map(([, name]) => name),
      [],
    )
  })

  it('are not seen in what only looks like them', () => {
    const wrong = quiet.flatMap(({ form, text }, index) =>
      [...(seen[matrix.length + index] ?? [])].map((name) => `${name} | ${form} | ${text}`),
    )
    assert.deepEqual(wrong, [])
  })

  it('are not recognised where that is said, so that the list stays true', () => {
    const wrong = matrix.filter((one, index) => isListed(one) && isSeen(index)).map(named)
    assert.deepEqual(wrong, [])
  })
})
