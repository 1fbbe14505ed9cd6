// Typed writer for the settings of zabbix_agentd: `Name=value` lines of fixed names, numbers and words of a fixed alphabet.

declare const isZabbix: unique symbol
/** A line that is known to be safe because only this file makes it. */
export type Zabbix = string & { readonly [isZabbix]: true }

const safe = (text: string): Zabbix => text as Zabbix

export const number = (name: 'ListenPort' | 'StartAgents', value: number): Zabbix => {
  if (!Number.isInteger(value) || value < 0) throw new Error(`not a number for zabbix_agentd: ${value}`)
  return safe(`${name}=${value}`)
}

/** The agent refuses to start with any other character. */
const hostForm = /^[A-Za-z0-9._-](?:[A-Za-z0-9._ -]{0,126}[A-Za-z0-9._-])?$/

export const canBeHost = (name: string): boolean => hostForm.test(name)

export function hostName(name: string): Zabbix {
  if (!canBeHost(name)) throw new Error(`not a host name for zabbix_agentd: ${JSON.stringify(name)}`)
  return safe(`Hostname=${name}`)
}

const serverForm = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?(?::[1-9][0-9]{0,4})?$/

/** Servers that may ask (`Server`), or that are connected to (`ServerActive`). */
export function servers(name: 'Server' | 'ServerActive', list: readonly string[]): Zabbix {
  const other = list.find((one) => !serverForm.test(one))
  if (other !== undefined || list.length === 0)
    throw new Error(`not servers for zabbix_agentd: ${JSON.stringify(other ?? '')}`)
  return safe(`${name}=${list.join(',')}`)
}

export const printLines = (lines: readonly Zabbix[]): string => lines.map((line) => `${line}\n`).join('')
