// The traffic classifier as a unit; the firewall copies packets to it (policy/compile-classifier.ts).

import { engineUnit } from '../../engines/artifacts.ts'
import { trafficClassifier } from '../../engines/traffic-classifier/index.ts'
import { type Config, read } from '../../model/slots.ts'
import type { Artifact } from '../../plan/artifacts.ts'
import { applicationDetection } from './config.ts'

export const renderClassifier = (config: Config): Artifact[] =>
  read(config, applicationDetection).enabled ? [engineUnit(trafficClassifier, 'traffic-classifier')] : []
