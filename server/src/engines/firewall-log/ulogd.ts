// Typed writer for ulogd: sections, settings and the stack of plugins. Names of a fixed alphabet, numbers and paths of
// standard streams; there is nothing that an administrator writes.

declare const isUlogd: unique symbol
/** Text of ulogd's language that is known to be safe because only this file makes it. */
export type Ulogd = string & { readonly [isUlogd]: true }

const safe = (text: string): Ulogd => text as Ulogd

function demand(form: RegExp, text: string, what: string): string {
  if (!form.test(text)) throw new Error(`not ${what} for ulogd: ${JSON.stringify(text)}`)
  return text
}

const name = (text: string): string => demand(/^[a-z][a-z_]{0,40}$/, text, 'a name')

export function setting(key: string, value: number): Ulogd {
  if (!Number.isInteger(value) || value < 0) throw new Error(`not a number for ulogd: ${value}`)
  return safe(`${name(key)}=${value}`)
}

export const streamSetting = (key: string, stream: 'stdout' | 'stderr'): Ulogd => safe(`${name(key)}="/dev/${stream}"`)

/** The way of a packet from plugin to plugin, each with the name of its section. */
export const stack = (plugins: readonly (readonly [section: string, plugin: string])[]): Ulogd =>
  safe(`stack=${plugins.map(([own, plugin]) => `${name(own)}:${demand(/^[A-Z0-9]+$/, plugin, 'a plugin')}`).join(',')}`)

export const section = (title: string, settings: readonly Ulogd[]): Ulogd =>
  safe([`[${name(title)}]`, ...settings, ''].join('\n'))
