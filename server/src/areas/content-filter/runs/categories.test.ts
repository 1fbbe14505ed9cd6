import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { tarOf } from '../../../../test/support/list-archive.ts'
import { CategoryDatabase } from './categories.ts'

describe('the owner of the category index', () => {
  let root = ''
  let database: CategoryDatabase
  let room = 1e9
  const faults: unknown[] = []
  const create = (): CategoryDatabase =>
    new CategoryDatabase({
      folder: root,
      folders: { pets: 'extended.id.27' },
      now: () => new Date(1_700_000_000_000),
      starter: [{ file: 'pets/domains', category: 'extended.id.27', entries: ['pets.example'] }],
      room: () => room,
      onFault: (error) => faults.push(error),
    })
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'portcullis-categories-'))
    room = 1e9
    faults.length = 0
    database = create()
  })
  afterEach(async () => {
    await database.close()
    rmSync(root, { recursive: true })
  })
  async function* archive(name = 'pets') {
    yield tarOf([{ name: `${name}/domains`, content: 'dogs.test\n' }])
  }
  const found = (host: string): number => database.lookup.find({ host, path: '/', scheme: 'http', port: 80 }).length

  it('builds at a start when there is no index or lists changed, and says when a new one is there', async () => {
    const told: string[] = []
    database.onNew((file) => told.push(file))
    await Promise.all([database.start(), database.start()])
    assert.equal(found('pets.example'), 1)
    await database.start()
    assert.deepEqual(told, [database.file], 'the same lists are built once')
    mkdirSync(join(root, 'lists', 'pets'), { recursive: true })
    writeFileSync(join(root, 'lists', 'pets', 'domains'), 'cats.test\n')
    await database.start()
    assert.equal(told.length, 2)
    assert.equal(found('cats.test'), 1)
  })

  it('is being built until the first index is there, and only failed when that could not be made', async () => {
    const told = (): readonly unknown[] => [database.state().state, database.state().message, database.state().progress]
    assert.deepEqual(told(), ['building', '', 0])
    room = 10
    await database.start()
    assert.equal(database.state().state, 'failed')
    assert.notEqual(database.state().message, '')
    room = 1e9
    const starting = database.start()
    assert.deepEqual(told().slice(0, 2), ['building', ''])
    await starting
    assert.deepEqual(told(), ['ready', '', null])
  })

  it('builds an upload at the next start when it was ended before', async () => {
    await database.receive(archive(), () => {})
    await database.close()
    assert.deepEqual(faults, [])
    database = create()
    await database.start()
    assert.equal(found('dogs.test'), 1)
    assert.ok(!existsSync(join(root, 'uploads', 'waiting')))
  })

  it('keeps nothing of an upload that no one may make any more or that has no room', async () => {
    await database.start()
    const refuse = (): never => {
      throw new Error('the session has ended')
    }
    await assert.rejects(database.receive(archive(), refuse), /the session has ended/)
    room = 100
    await assert.rejects(
      database.receive(archive(), () => {}),
      /cannot be stored/,
    )
    await database.build()
    assert.equal(database.state().message, 'The disk has no room for the category index.')
    assert.equal(database.state().state, 'failed')
    assert.equal(found('pets.example'), 1, 'the old one stays in use')
    room = 1e9
    await database.build()
    assert.equal(database.state().state, 'ready')
    assert.equal(found('dogs.test'), 0)
  })
})
