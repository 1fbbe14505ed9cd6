// The traffic classifier as a unit; the firewall copies packets to it (domain/policy/compile-classifier.ts).

import { engineUnit } from '../../core/engine/artifacts.ts'
import { type Config, read } from '../../core/model/slots.ts'
import type { Artifact } from '../../core/plan/artifacts.ts'
import { trafficClassifier } from '../../engines/traffic-classifier/index.ts'
import { applicationDetection } from './config.ts'

export const renderClassifier = (config: Config): Artifact[] =>
  read(config, applicationDetection).enabled ? [engineUnit(trafficClassifier, 'traffic-classifier')] : []
