import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { isAsWritten, readJson, readRegular, removeDurable, removeTemporary, writeDurable } from './durable.ts'

let directory: string
let path: string
beforeEach(() => {
  directory = fs.mkdtempSync(join(tmpdir(), 'durable-'))
  path = join(directory, 'sub', 'file.conf')
})
afterEach(() => fs.rmSync(directory, { recursive: true }))
const text = () => fs.readFileSync(path, 'utf8')

test('a file is written with its owner and mode, and its directory is made', () => {
  writeDurable(path, 'one', { mode: 0o640, gid: 65534 })
  const stat = fs.statSync(path)
  assert.deepEqual([text(), stat.mode & 0o7777, stat.uid, stat.gid], ['one', 0o640, 0, 65534])
  assert.equal(isAsWritten(path, Buffer.from('one'), { mode: 0o640, gid: 65534 }), true)
  assert.deepEqual(fs.readdirSync(join(directory, 'sub')), ['file.conf'])
})

test('without an owner a file is for us alone', () => {
  writeDurable(path, 'one')
  assert.equal(fs.statSync(path).mode & 0o7777, 0o600)
})

test('a fault before the rename leaves the old file', () => {
  writeDurable(path, 'old')
  const broken = () => {
    throw new Error('broken')
  }
  assert.throws(() => writeDurable(path, 'new', { mode: 0o600 }, broken), /broken/)
  assert.equal(text(), 'old')
  removeTemporary(path)
  assert.deepEqual(fs.readdirSync(join(directory, 'sub')), ['file.conf'])
})

test('links planted at the path or at the temporary path are replaced, not followed', () => {
  const victim = join(directory, 'victim')
  fs.writeFileSync(victim, 'untouched')
  fs.mkdirSync(join(directory, 'sub'))
  fs.symlinkSync(victim, path)
  fs.symlinkSync(victim, join(directory, 'sub', '.file.conf.portcullis-new'))
  assert.equal(readRegular(path), null)
  writeDurable(path, 'mine')
  assert.equal(fs.lstatSync(path).isFile(), true)
  assert.deepEqual([text(), fs.readFileSync(victim, 'utf8')], ['mine', 'untouched'])
  fs.rmSync(path)
  fs.symlinkSync(victim, path)
  removeDurable(path)
  assert.equal(fs.readFileSync(victim, 'utf8'), 'untouched')
})

test('a file is not as written with other content, mode, owner, another name or as a link', () => {
  const content = Buffer.from('x')
  const as = { mode: 0o600 }
  const disturbances = [
    () => fs.writeFileSync(path, 'y'),
    () => fs.chmodSync(path, 0o644),
    () => fs.chmodSync(path, 0o4600),
    () => fs.chownSync(path, 65534, 0),
    () => fs.chownSync(path, 0, 65534),
    () => fs.linkSync(path, `${path}.second`),
    () => fs.rmSync(path),
    () => {
      fs.renameSync(path, `${path}.other`)
      fs.symlinkSync(`${path}.other`, path)
    },
  ]
  for (const disturb of disturbances) {
    writeDurable(path, content)
    assert.equal(isAsWritten(path, content, as), true)
    disturb()
    assert.equal(isAsWritten(path, content, as), false)
    fs.rmSync(join(directory, 'sub'), { recursive: true })
  }
  assert.equal(isAsWritten(path, null, as), true)
})

test('a record that cannot be parsed is read as null and logged', () => {
  const logged: string[] = []
  writeDurable(path, '{"half')
  assert.equal(
    readJson(path, (_level, message) => logged.push(message)),
    null,
  )
  assert.equal(logged.length, 1)
  removeDurable(path)
  removeDurable(path)
  assert.equal(
    readJson(path, () => assert.fail()),
    null,
  )
})

test('a file that changed is noticed whenever it changed, also after it was looked at before', () => {
  writeDurable(path, 'one', { mode: 0o600, isForced: false })
  const isOne = () => isAsWritten(path, Buffer.from('one'), { mode: 0o600 })
  assert.equal(isOne(), true)
  const old = new Date(Date.now() - 3_600_000)
  fs.utimesSync(path, old, old)
  assert.equal(isOne(), true)
  fs.writeFileSync(path, 'two')
  fs.utimesSync(path, old, old)
  assert.equal(isOne(), false, 'the time of its content can be set back, that of its entry cannot')
})
