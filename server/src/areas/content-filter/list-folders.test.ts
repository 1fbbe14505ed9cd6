import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { folderKey } from '../../domain/web-filter/categories/folders.ts'
import { listFolders, publicFolderNames, topicCategories } from './list-folders.ts'
import { starterLists, wellKnownNames } from './starter.ts'

const names = new Set(topicCategories.map(({ name }) => name))

describe('folders of public lists', () => {
  it('name categories of the catalogue, each folder once', () => {
    assert.deepEqual(
      Object.keys(publicFolderNames).filter((name) => !names.has(name)),
      [],
    )
    const folders = Object.values(publicFolderNames).flatMap((text) => text.split(' '))
    assert.deepEqual(
      folders.filter((folder, at) => folders.indexOf(folder) !== at),
      [],
    )
    const own = new Set(topicCategories.map(({ name }) => folderKey(name)))
    for (const [name, text] of Object.entries(publicFolderNames))
      for (const folder of text.split(' '))
        assert.ok(!own.has(folderKey(folder)) || folderKey(folder) === folderKey(name), `${folder} is another category`)
  })

  it('may have the name of a category, however it is written', () => {
    for (const { id, name } of topicCategories) assert.equal(listFolders[folderKey(name)], id)
    assert.equal(listFolders[folderKey('Social-Networks')], listFolders.socialnet)
  })
})

describe('the starter set', () => {
  it('has every topic, in names that no one can register and few others', () => {
    assert.equal(new Set(starterLists.map(({ category }) => category)).size, topicCategories.length)
    const files = starterLists.map(({ file }) => file)
    assert.equal(new Set(files).size, files.length)
    assert.deepEqual(
      Object.keys(wellKnownNames).filter((name) => !names.has(name)),
      [],
    )
    const real = starterLists.flatMap(({ entries }) => entries).filter((entry) => !/category\.example/.test(entry))
    assert.ok(real.length > 30 && real.length < 80)
  })
})
