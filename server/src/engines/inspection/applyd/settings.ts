// The values of fixed.suricata.yaml and outputs.suricata.yaml, the part of suricata.yaml that no plan decides.

import { join } from 'node:path'
import { inspection } from '../../../core/plan/inspection-marks.ts'
import { fixedText } from '../../kit/fixed-text.ts'

export interface InspectionPlaces {
  /** The engine's own folder, with its copy of the rules. */
  readonly work: string
  readonly rulesFile: string
  readonly captures: string
  readonly commandSocket: string
}

const beside = (name: string): string => join(import.meta.dirname, name)

const common = ({ captures, ...places }: InspectionPlaces, listens: 'yes' | 'no'): string =>
  fixedText(beside('fixed.suricata.yaml'), { ...places, listens, doneMark: inspection.doneMark })

export const fixedSettings = (places: InspectionPlaces): string =>
  common(places, 'yes') + fixedText(beside('outputs.suricata.yaml'), { captures: places.captures })

/** For a check of signatures: it writes no events and listens nowhere. */
export const checkingSettings = (places: InspectionPlaces): string => common(places, 'no')
