// The antivirus program as applyd starts it: only with signatures, from every folder of them, and with settings that name
// neither paths nor sockets.
// Requirement 53.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { productionTables } from '../../../applyd/production.ts'
import { faultsIn } from '../../kit/forms.ts'
import { findUnit } from '../../kit/tables.ts'
import { printClamd } from '../clamd.ts'

const unit = findUnit(productionTables('/state', null, 'none'), 'antivirus') ?? assert.fail()
const root = mkdtempSync(join(tmpdir(), 'portcullis-signatures-'))
after(() => rmSync(root, { recursive: true }))
const [links, own, packages] = ['links', 'own', 'packages'].map((name) => join(root, name)) as [string, string, string]
for (const folder of [links, own, packages]) mkdirSync(folder)

/** The program shows what it would be started with. */
const start = () =>
  spawnSync(
    '/usr/bin/perl',
    [join(import.meta.dirname, 'start-clamd.pl'), links, own, packages, '--', '/bin/echo', 'on'],
    {
      encoding: 'utf8',
    },
  )

describe('the start of the antivirus program', () => {
  it('fails without signatures, and says what to do', () => {
    writeFileSync(join(packages, 'freshclam.dat'), '')
    writeFileSync(join(own, 'readme.txt'), '')
    writeFileSync(join(own, 'exceptions.fp'), '')
    const { status, stderr, stdout } = start()
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(stderr, /^There are no virus signatures: put signature files .* into .*own or .*packages\.\n$/)
  })

  it('reads those of every folder, and forgets what is gone', () => {
    writeFileSync(join(own, 'site.hdb'), '')
    writeFileSync(join(packages, 'daily.cvd'), '')
    assert.equal(start().stdout, 'on\n')
    assert.deepEqual(readdirSync(links).toSorted(), ['daily.cvd', 'exceptions.fp', 'site.hdb'])
    rmSync(join(own, 'site.hdb'))
    assert.equal(start().stdout, 'on\n')
    assert.deepEqual(readdirSync(links).toSorted(), ['daily.cvd', 'exceptions.fp'])
  })
})

describe('the settings of the antivirus program', () => {
  it('are numbers and switches', () => {
    assert.deepEqual(faultsIn(unit, 'clamd.conf', printClamd({ MaxThreads: 4, ExitOnOOM: true })), [])
  })

  it('name no path, socket, program or other directive', () => {
    const lines = [
      'LocalSocket /tmp/x',
      'TCPSocket 3310',
      'VirusEvent /bin/sh',
      'MaxThreads yes',
      'User 0',
      'toString yes',
    ]
    for (const line of [...lines, 'MaxThreads 4 5', ' MaxThreads 4', 'ExitOnOOM 1'])
      assert.equal(faultsIn(unit, 'clamd.conf', `${line}\n`).length, 1, line)
  })
})
