import assert from 'node:assert/strict'
import { test } from 'node:test'
import { russianNames } from '../../domain/web-filter/names-ru.ts'
import { fixedCategories } from './catalogue.ts'

test('every fixed category has a Russian name, and no name is left over', () => {
  const names = new Set(fixedCategories.map(({ name }) => name))
  assert.deepEqual(
    [...names].filter((name) => !russianNames[name]),
    [],
  )
  assert.deepEqual(
    Object.keys(russianNames).filter((name) => !names.has(name)),
    [],
  )
})
