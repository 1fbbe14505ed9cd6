// The status of the detection of applications: active only while the classifier runs and its last run went well.

import type { Machine } from '../../core/area/handle.ts'
import { counted } from '../../core/contract/counted.ts'
import type { StatusItem } from '../../core/contract/fields.ts'
import { engineUnit } from '../../core/engine/artifacts.ts'
import { describeMissing } from '../../core/engine/missing-program.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { ClassifierReport } from '../../core/plan/facts.ts'
import { failed, inactive, type State, unitStatus } from '../../core/plan/observed.ts'
import { trafficClassifier } from '../../engines/traffic-classifier/index.ts'
import { say } from '../../shared/said.ts'
import { applicationDetection } from './config.ts'

export interface DetectionView extends Machine {
  readonly config: Config
  readonly report: ClassifierReport | null
}

export const detectionItem = (view: DetectionView): StatusItem => ({ name: 'applications', ...stateOf(view) })

const off = say`The detection of applications is switched off, so the list of applications is empty.`
const unstarted = say`The traffic classifier is not running, so the list of applications is empty.`

function stateOf(view: DetectionView): State {
  if (!read(view.config, applicationDetection).enabled) return inactive(off)
  const { status, msg } = unitStatus(view, engineUnit(trafficClassifier, 'traffic-classifier').name, unstarted)
  if (status !== 'active')
    return { status, msg: msg.map((message) => describeMissing(trafficClassifier, message) ?? message) }
  const { report } = view
  if (report === null) return failed(say`The traffic classifier runs, but has not reported anything yet.`)
  const lost =
    report.lost > 0 ? [say`Packets came faster than they could be looked at: ${counted(report.lost, 'time')}.`] : []
  if (report.fault !== '') return failed(say`Applications are not recognised: ${report.fault}`, ...lost)
  return {
    status,
    msg: [
      ...msg,
      say`The first packets of each IPv4 connection with TCP or UDP are looked at. Connections that were open before are not recognised.`,
      say`Since the classifier started: ${counted(report.packets, 'packet')}, ${counted(report.recognised, 'connection')} recognised.`,
      ...lost,
    ],
  }
}
