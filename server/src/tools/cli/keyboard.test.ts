import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { createKeyboard } from './keyboard.ts'

function terminal() {
  const rawModes: boolean[] = []
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => rawModes.push(isRaw),
  })
  let shown = ''
  const keyboard = createKeyboard(stdin, (text) => {
    shown += text
  })
  return { stdin, keyboard, rawModes, shown: () => shown }
}

test('a secret is read with the echo off and never shown', async () => {
  const { stdin, keyboard, rawModes, shown } = terminal()
  const answer = keyboard.askSecret('Password: ')
  stdin.write('grö')
  stdin.write('ßer\r')
  assert.equal(await answer, 'größer')
  assert.deepEqual(rawModes, [true, false])
  assert.equal(shown(), 'Password: \n')
})

test('a key takes the last character back, another one all of them', async () => {
  const { stdin, keyboard } = terminal()
  const answer = keyboard.askSecret('')
  stdin.write('wrong\u0015sö\u007fecrex\u0008t\n')
  assert.equal(await answer, 'secret')
})

test('Ctrl-C gives the terminal back and stops', async () => {
  const { stdin, keyboard, rawModes } = terminal()
  const answer = keyboard.askSecret('')
  stdin.write('abc\u0003')
  await assert.rejects(answer, /Interrupted/)
  assert.deepEqual(rawModes, [true, false])
})

test('only a plain yes is a yes', async () => {
  for (const [typed, isYes] of [
    ['y\n', true],
    ['YES\n', true],
    ['\n', false],
    ['no\n', false],
    ['yesterday\n', false],
  ] as const) {
    const { stdin, keyboard } = terminal()
    const answer = keyboard.askYes('?')
    stdin.write(typed)
    assert.equal(await answer, isYes, typed)
  }
})

test('two questions read one line each', async () => {
  const { stdin, keyboard } = terminal()
  const first = keyboard.askYes('?')
  stdin.write('y\n')
  assert.equal(await first, true)
  const second = keyboard.askSecret('')
  stdin.write('secret\r')
  assert.equal(await second, 'secret')
})

test('piped input is read to its end', async () => {
  const { stdin, keyboard } = terminal()
  const all = keyboard.readAll()
  stdin.end('{"a":\n1}')
  assert.equal(await all, '{"a":\n1}')
})

test('a line is read without the spaces around it, and a signal ends the question', async () => {
  const { stdin, keyboard, shown } = terminal()
  const answer = keyboard.askLine('Card: ')
  stdin.write(' eth0 \n')
  assert.equal(await answer, 'eth0')
  assert.equal(shown(), 'Card: ')
  const controller = new AbortController()
  const question = keyboard.askLine('Again: ', controller.signal)
  controller.abort()
  await assert.rejects(question, /Interrupted/)
  await assert.rejects(keyboard.askLine('Again: ', controller.signal), /Interrupted/)
  assert.equal(stdin.listenerCount('data'), 0)
})
