// Words of signatures that the pages share.

import { msg } from '../../words.ts'

export const actionWords: Readonly<Record<string, string>> = {
  pass: msg('let pass'),
  alert: msg('alert'),
  drop: msg('drop'),
  rejectsrc: msg('reject to the source'),
  rejectdst: msg('reject to the destination'),
  rejectboth: msg('reject to both'),
}

export const sourceWords: Readonly<Record<string, string>> = {
  standard: msg('standard'),
  advanced: msg('advanced'),
  custom: msg('own'),
}

export const toneOfAction = (action: string): 'ok' | 'warn' | 'bad' =>
  action === 'pass' ? 'ok' : action === 'alert' ? 'warn' : 'bad'
