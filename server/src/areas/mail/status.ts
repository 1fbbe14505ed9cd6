// The status of the mail services: none of them runs yet, and the status items and the disk report this.

import type { StatusItem } from '../../core/contract/fields.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { type SaidText, say } from '../../shared/said.ts'
import { chosenDisk, filterState, general, security, state } from './config.ts'
import type { DiskState } from './contract.ts'

const stored = (engine: string): SaidText =>
  say`Stored; ${engine} is not part of this release yet, so nothing is applied.`

/** The server has the name of its unit in the system journal (docs/behaviour/logs.md 4). */
export function mailStatusItems(config: Config, brand: string): StatusItem[] {
  const isOn = read(config, state).enabled
  const isFiltering = read(config, filterState).enabled
  return [
    {
      name: `${brand}-mail-backend`,
      status: 'inactive',
      msg: isOn ? [stored(say`the mail engine`), ...hints(config)] : [say`The mail server is switched off.`],
    },
    {
      name: 'mail-filter',
      status: 'inactive',
      msg: isFiltering
        ? [
            stored(say`the antispam and antivirus engine`),
            ...(isOn ? [] : [say`It works only while the mail server is enabled.`]),
          ]
        : [say`The antispam and antivirus engine is switched off.`],
    },
  ]
}

/** What the settings lack for the mode they are meant for (docs/behaviour/mail.md 2). */
function hints(config: Config): SaidText[] {
  const { mail_domain, mail_hostname, mail_relay_domains } = read(config, general)
  const isRelay = mail_relay_domains.length > 0
  return [
    ...(mail_domain === null && !isRelay ? [say`The main mail domain is not set.`] : []),
    ...(mail_hostname === null ? [say`The host name of the mail server is not set.`] : []),
    ...(isRelay && read(config, security).smtpd_sasl_enabled
      ? [say`Clients can sign in (SASL). Disable this in front of an inner mail server.`]
      : []),
  ]
}

const nothing: DiskState = {
  disk_id: null,
  title: null,
  status: 'disconnected',
  fs_uuid: null,
  free_size: null,
  total_size: null,
  error: null,
}

/** `found` are the disks that the machine has now. */
export function diskState(
  config: Config,
  found: readonly { readonly id: string; readonly bytes: number }[],
): DiskState {
  const { disk } = read(config, chosenDisk)
  if (!disk) return nothing
  const present = found.find(({ id }) => id === disk.id)
  return {
    ...nothing,
    disk_id: disk.id,
    title: disk.title,
    status: 'error',
    total_size: present?.bytes ?? null,
    error: present
      ? say`Stored; the mail engine is not part of this release yet, so the disk is not mounted.`
      : say`The disk is missing or in use by something else.`,
  }
}
