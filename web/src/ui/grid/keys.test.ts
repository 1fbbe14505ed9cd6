// The keyboard of the grid.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { actOfKey, nameOfKey, type PressedKey } from './keys.ts'

const size = { rows: 100, columns: 5, page: 20 }
const press = (text: string): PressedKey => {
  const words = text.split(' ')
  return {
    key: words.at(-1) === 'Space' ? ' ' : (words.at(-1) ?? ''),
    ctrl: words.includes('Ctrl'),
    shift: words.includes('Shift'),
    alt: words.includes('Alt'),
  }
}
const goes = (keys: string, row: number, column: number, hasHead = false): string => {
  const act = actOfKey(press(keys), { row, column }, { ...size, hasHead })
  return act?.kind === 'go'
    ? `${act.place.row}/${act.place.column}${act.isExtending ? ' extends' : ''}`
    : String(act?.kind)
}

describe('keys of the grid', () => {
  it('moves by arrows and stays inside', () => {
    assert.equal(goes('ArrowDown', 3, 1), '4/1')
    assert.equal(goes('ArrowDown', 99, 1), '99/1')
    assert.equal(goes('ArrowUp', 0, 1), '0/1')
    assert.equal(goes('ArrowRight', 0, 4), '0/4')
    assert.equal(goes('ArrowLeft', 0, 0), '0/0')
    assert.equal(goes('Ctrl ArrowRight', 7, 1), '7/4')
    assert.equal(goes('Ctrl ArrowLeft', 7, 3), '7/0')
  })

  it('moves by pages and to the ends', () => {
    assert.equal(goes('PageDown', 0, 2), '19/2')
    assert.equal(goes('PageUp', 5, 2), '0/2')
    assert.equal(goes('End', 5, 2), '99/2')
    assert.equal(goes('Ctrl Home', 5, 2), '0/2')
    assert.equal(goes('Ctrl ArrowDown', 5, 2), '99/2')
  })

  it('extends the selection with Shift, but not sideways', () => {
    assert.equal(goes('Shift ArrowDown', 3, 1), '4/1 extends')
    assert.equal(goes('Shift End', 3, 1), '99/1 extends')
    assert.equal(goes('Shift ArrowRight', 3, 1), '3/2')
  })

  it('reaches the head only by the arrow', () => {
    assert.equal(goes('ArrowUp', 0, 2, true), '-1/2')
    assert.equal(goes('ArrowRight', -1, 2, true), '-1/3')
    assert.equal(goes('ArrowDown', -1, 2, true), '0/2')
    assert.equal(goes('Shift ArrowUp', 0, 2, true), '0/2 extends')
    assert.equal(goes('PageUp', 4, 2, true), '0/2')
  })

  it('knows the acts', () => {
    assert.equal(goes('Space', 1, 1), 'select')
    assert.equal(goes('Ctrl a', 1, 1), 'select-all')
    assert.equal(goes('Ctrl ф', 1, 1), 'select-all')
    assert.equal(goes('Enter', 1, 1), 'open')
    assert.equal(goes('F2', 1, 1), 'edit')
    assert.equal(goes('Escape', 1, 1), 'clear')
  })

  it('passes the rest to the page by name', () => {
    const named = (keys: string) => {
      const act = actOfKey(press(keys), { row: 1, column: 1 }, size)
      return act?.kind === 'page-key' ? act.key : act?.kind
    }
    assert.equal(named('o'), 'o')
    assert.equal(named('Shift O'), 'Shift O')
    assert.equal(named('Delete'), 'Delete')
    assert.equal(named('Alt ArrowUp'), 'Alt Up')
    assert.equal(named('Alt Shift ArrowDown'), 'Alt Shift Down')
    assert.equal(named('Ctrl Enter'), 'Ctrl Enter')
    assert.equal(named('Tab'), undefined)
    assert.equal(named('F6'), undefined)
    assert.equal(named('Ctrl k'), undefined)
    assert.equal(nameOfKey(press('Shift Delete')), 'Shift Delete')
  })

  it('opens and closes branches at the first column', () => {
    const at = (keys: string, column: number, isOpen: boolean | null) =>
      actOfKey(press(keys), { row: 2, column }, size, { isOpen })
    assert.deepEqual(at('ArrowRight', 0, false), { kind: 'toggle', isOpen: true })
    assert.deepEqual(at('ArrowLeft', 0, true), { kind: 'toggle', isOpen: false })
    assert.equal(at('ArrowRight', 0, true)?.kind, 'go')
    assert.equal(at('ArrowRight', 0, null)?.kind, 'go')
    assert.equal(at('ArrowLeft', 2, true)?.kind, 'go')
  })
})
