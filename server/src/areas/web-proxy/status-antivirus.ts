// The status of the web antivirus: active only while the antivirus program has signatures and answers.

import type { Machine } from '../../core/area/handle.ts'
import type { StatusItem } from '../../core/contract/fields.ts'
import { engineUnit } from '../../core/engine/artifacts.ts'
import { describeMissing } from '../../core/engine/missing-program.ts'
import { type Config, read } from '../../core/model/slots.ts'
import { inactive, type State, unitStatus } from '../../core/plan/observed.ts'
import { antivirus as engine } from '../../engines/antivirus/index.ts'
import { say } from '../../shared/said.ts'
import { state as contentFilterState } from '../content-filter/public.ts'
import { antivirus, settings } from './config.ts'

export function antivirusItems(config: Config, machine: Machine): StatusItem[] {
  const item = (state: State): StatusItem[] => [{ name: 'clamd', ...state }]
  if (!read(config, antivirus).enabled) return item(inactive(say`The web antivirus is switched off.`))
  if (!read(config, contentFilterState).enabled)
    return item(inactive(say`The content filter is switched off, so no traffic is checked.`))
  const { status, msg } = unitStatus(
    machine,
    engineUnit(engine, 'antivirus').name,
    say`The antivirus program is not running.`,
  )
  const said = msg.map((message) => describeMissing(engine, message) ?? message)
  if (status === 'active') return item({ status, msg: said })
  const outcome =
    read(config, settings).on_failure === 'block'
      ? say`Files are not checked; they are blocked until it runs.`
      : say`Files are not checked; they pass.`
  return item({ status, msg: [...said, outcome] })
}
