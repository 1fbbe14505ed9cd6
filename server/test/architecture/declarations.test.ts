// A list is declared once: every list slot has one declaration, every secret in it is declared, and no code goes around the
// types or builds paths and rules by hand that follow from declarations.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { areas } from '../../src/areas/index.ts'

const source = join(import.meta.dirname, '..', '..', 'src')
const lists = areas.flatMap((area) => area.lists ?? [])

describe('lists', () => {
  it('each have one declaration', () => {
    const slots = areas.flatMap((area) => area.slots).filter((slot) => slot.kind === 'list')
    assert.deepEqual(lists.map(({ slot }) => slot.key).toSorted(), slots.map(({ key }) => key).toSorted())
  })

  it('declare the secrets that their schema holds', () => {
    for (const { slot, secrets = [] } of lists) {
      const { properties = {} } = slot.schema as { readonly properties?: Readonly<Record<string, object>> }
      const sealed = Object.keys(properties).filter((name) => JSON.stringify(properties[name]).includes('"sealed"'))
      assert.deepEqual(sealed.toSorted(), secrets.toSorted(), slot.key)
    }
  })

  it('name each item in the words of an administrator', () => {
    for (const { noun } of lists) assert.match(noun, /^(?:[a-z]|[A-Z]{2,}|[A-Z]+ )/, noun)
  })
})

const productFiles = globSync('**/*.ts', { cwd: source }).filter((file) => !/\.test\.ts$|\/stand-ins\//.test(file))
const filesWith = (form: RegExp, isExempt: (file: string) => boolean = () => false): string[] =>
  productFiles.filter((file) => !isExempt(file) && form.test(readFileSync(join(source, file), 'utf8')))

describe('product code', () => {
  it('does not cast to never', () => assert.deepEqual(filesWith(/\bas never\b/), []))

  it('builds the path of an item in one place', () => {
    assert.deepEqual(
      filesWith(/\.key\}\[\$\{/, (file) => file === 'core/model/paths.ts'),
      [],
    )
  })

  it('says in one place that "any" cannot be combined', () => {
    assert.deepEqual(filesWith(/cannot be combined with other values/), ['core/model/declarations.ts'])
  })

  it('asks in one place who is a full administrator', () => {
    assert.deepEqual(filesWith(/=== 'predefined_admin_write'/), ['core/contract/access.ts'])
  })
})
