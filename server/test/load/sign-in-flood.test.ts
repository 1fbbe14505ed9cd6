// M6: a flood of sign-ins over 60 connections, each from another address, while an administrator signs in from the usual
// address and from ones that were never seen.
// Requirement 73.

import assert from 'node:assert/strict'
import { Agent, request } from 'node:https'
import { after, before, describe, it } from 'node:test'
import { until } from '../support/until.ts'
import { isNightly, type Lab, password, reasonToSkip, startLab } from './lab.ts'

const connections = 60
const ownSignIns = isNightly ? 40 : 4

describe('M6: a flood of sign-ins from changing addresses', { skip: reasonToSkip() }, () => {
  let lab: Lab
  before(async () => {
    lab = await startLab()
  })
  after(() => lab?.close())

  const signIn = (localAddress: string, login: string, word: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const agent = new Agent({ localAddress, rejectUnauthorized: false })
      const url = new URL('/web/auth/login', lab.gateway.address)
      const outgoing = request(url, { method: 'POST', agent }, (answer) => {
        answer.resume()
        answer.on('error', reject)
        answer.on('end', () => {
          agent.destroy()
          resolve(answer.statusCode ?? 0)
        })
      })
      outgoing.on('error', reject)
      outgoing.end(JSON.stringify({ login, password: word, rest_path: '/' }))
    })

  it('keeps the administrator out neither of the usual address nor of a new one', async (t) => {
    let number = 0
    const newAddress = (): string => `127.${1 + ((++number >> 8) & 127)}.${number & 255}.1`
    const usual = newAddress()
    assert.equal(await signIn(usual, 'admin', password), 200)
    let isOver = false
    const answers: number[] = []
    const flood = async (): Promise<void> => {
      // Not at the account of the administrator, which a hundred failures would close.
      while (!isOver) answers.push(await signIn(newAddress(), `guess ${number % 7}`, 'not the password'))
    }
    const floods = Promise.all(Array.from({ length: connections }, flood))
    await until('the flood is answered', () => answers.length > 0)
    const own: number[] = []
    for (let done = 0; done < ownSignIns; done++) {
      own.push(await signIn(done % 2 === 0 ? usual : newAddress(), 'admin', password))
    }
    isOver = true
    await floods
    t.diagnostic(`${answers.length} guesses were answered during ${own.length} sign-ins`)
    assert.deepEqual(own, Array(ownSignIns).fill(200))
  })
})
