// The source as tests look at it: its files, the statements in them and the regular expressions in them.

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const root = new URL('../../src/', import.meta.url).pathname

export interface SourceFile {
  readonly path: string
  readonly text: string
}

/** Every file of the product, without its tests and the stand-ins they start. */
export const sourceFiles: readonly SourceFile[] = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.includes('stand-ins/'))
  .sort()
  .map((name) => ({ path: relative(root, join(root, name)), text: readFileSync(join(root, name), 'utf8') }))

export const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length

type Token = 'regex' | 'text' | 'template' | 'comment' | 'other'

interface Piece {
  readonly kind: Token
  readonly at: number
  readonly text: string
}

/** After one of these a slash starts a regular expression, otherwise it divides. */
const beforeRegex = /(?:[(,=:[!&|?{};+\-*%<>~^]|=>|\b(?:return|typeof|case|in|of|throw|await|yield|else|do))\s*$/

/** Cuts source text into comments, texts, templates, regular expressions and the rest. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = []
  let at = 0
  let code = ''
  const take = (kind: Token, end: number): void => {
    found.push({ kind, at, text: text.slice(at, end) })
    if (kind !== 'comment') code = kind === 'other' ? code + text.slice(at, end) : `${code}x`
    code = code.slice(-40)
    at = end
  }
  while (at < text.length) {
    const two = text.slice(at, at + 2)
    const one = text[at] ?? ''
    if (two === '//') take('comment', endOfLine(text, at))
    else if (two === '/*') take('comment', text.indexOf('*/', at) + 2)
    else if (one === "'" || one === '"') take('text', endOfQuoted(text, at, one))
    else if (one === '`') take('template', endOfTemplate(text, at))
    else if (one === '/' && beforeRegex.test(code)) take('regex', endOfRegex(text, at))
    else take('other', at + 1)
  }
  return found
}

const endOfLine = (text: string, from: number): number => {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}

function endOfQuoted(text: string, from: number, quote: string): number {
  let at = from + 1
  while (text[at] !== quote && at < text.length) at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function endOfTemplate(text: string, from: number): number {
  let at = from + 1
  while (text[at] !== '`' && at < text.length) {
    if (text[at] === '\\') at += 2
    else if (text.slice(at, at + 2) === '${') at = endOfHole(text, at + 2)
    else at++
  }
  return at + 1
}

function endOfHole(text: string, from: number): number {
  let depth = 1
  let at = from
  while (depth > 0 && at < text.length) {
    const one = text[at] ?? ''
    if (one === '`') at = endOfTemplate(text, at)
    else if (one === "'" || one === '"') at = endOfQuoted(text, at, one)
    else {
      if (one === '{') depth++
      if (one === '}') depth--
      at++
    }
  }
  return at
}

function endOfRegex(text: string, from: number): number {
  let at = from + 1
  let isClass = false
  while ((text[at] !== '/' || isClass) && at < text.length && text[at] !== '\n') {
    if (text[at] === '[') isClass = true
    if (text[at] === ']') isClass = false
    at += text[at] === '\\' ? 2 : 1
  }
  at++
  while (/[a-z]/.test(text[at] ?? '')) at++
  return at
}
