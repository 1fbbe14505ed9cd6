import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createSignatureFiles, type SignatureFiles } from './signature-files.ts'

describe('rule files', () => {
  let root = ''
  let files: SignatureFiles
  const put = (name: string, text: string, seconds = 1_700_000_000): void => {
    writeFileSync(join(root, name), text)
    utimesSync(join(root, name), seconds, seconds)
  }
  const rule = (sid: number, msg: string, rev = 1): string =>
    `alert tcp any any -> any any (msg:"${msg}"; sid:${sid}; rev:${rev}; classtype:house;)\n`
  const shown = (): string[] =>
    files.current().signatures.map(({ sid, msg, signature_source }) => `${sid} ${msg} ${signature_source}`)

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'portcullis-rules-'))
    mkdirSync(join(root, 'own'))
    mkdirSync(join(root, 'package'))
    put('starter.rules', rule(1, 'starter') + rule(2, 'starter'))
    files = createSignatureFiles({
      folder: join(root, 'own'),
      packageFolders: [join(root, 'package'), join(root, 'nowhere')],
      starter: join(root, 'starter.rules'),
      classification: join(root, 'classification.config'),
    })
  })
  afterEach(() => rmSync(root, { recursive: true }))

  it('are absent before they are read, and the starter set afterwards', async () => {
    assert.deepEqual(shown(), [])
    await files.refresh()
    assert.deepEqual(shown(), ['1 starter standard', '2 starter standard'])
    assert.deepEqual(files.state(), {
      folder: join(root, 'own'),
      updatedAt: { standard: 1_700_000_000, advanced: null },
      messages: [],
      isReading: false,
      fault: '',
    })
  })

  it('of the operator go before those of the package and of the product, unless those are newer', async () => {
    put('own/a.rules', rule(1, 'own') + rule(10, 'own'))
    put('package/p.rules', rule(10, 'package') + rule(11, 'package') + rule(2, 'package', 2))
    put('own/ignored.txt', rule(12, 'ignored'))
    await files.refresh()
    assert.deepEqual(shown(), ['1 own advanced', '2 package standard', '10 own advanced', '11 package standard'])
  })

  it('are read again when they change, and only then', async () => {
    await files.refresh()
    const first = files.current()
    await files.refresh()
    assert.equal(files.current(), first)
    put('own/a.rules', rule(10, 'new'), 1_700_000_100)
    await files.refresh()
    assert.deepEqual(shown().at(-1), '10 new advanced')
    assert.equal(files.state().updatedAt.advanced, 1_700_000_100)
    rmSync(join(root, 'own', 'a.rules'))
    await files.refresh()
    assert.equal(files.current().find(10), undefined)
  })

  it('lose only the lines that cannot be used, and say which', async () => {
    put('own/a.rules', `${rule(10, 'good')}alert nonsense\n${rule(11, 'good')}`)
    put('own/b.rules', 'x\n'.repeat(50))
    await files.refresh()
    assert.deepEqual(shown().slice(2), ['10 good advanced', '11 good advanced'])
    const { messages } = files.state()
    assert.match(messages[0] ?? '', /^a\.rules, line 2: /)
    assert.equal(messages.length, 21)
    assert.equal(messages.at(-1), '31 more lines cannot be used.')
  })

  it('bring names of groups along', async () => {
    const ofPackage =
      'config classification: house,Of the package,1\nconfig classification: misc-attack,Misc Attack,2\n'
    put('classification.config', ofPackage)
    await files.refresh()
    assert.equal(files.current().classtypes.get('house'), 'Of the package')
    put('own/classification.config', 'config classification: house,Of the house,1\n')
    put('own/a.rules', rule(10, 'x'))
    await files.refresh()
    assert.equal(files.current().classtypes.get('house'), 'Of the house')
    assert.equal(files.current().classtypes.get('misc-attack'), 'Attacks', 'names of the specification stay')
  })

  it('that are no files are passed over', async () => {
    mkdirSync(join(root, 'own', 'folder.rules'))
    await files.refresh()
    assert.equal(shown().length, 2)
    assert.deepEqual(files.state().messages, [])
  })

  it('asked for twice at once are read once', async () => {
    await Promise.all([files.refresh(), files.refresh()])
    assert.equal(shown().length, 2)
  })
})
