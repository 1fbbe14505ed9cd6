// Files and units of an engine as parts of a plan. A name that the engine does not declare is a type error.

import type { EngineFile, EngineUnit } from '../plan/artifacts.ts'
import type { EngineData } from './engine.ts'

type Names<E extends EngineData, K extends 'files' | 'fileTemplates' | 'units' | 'unitTemplates'> = keyof E[K] & string

export const engineFile = <E extends EngineData>(_engine: E, name: Names<E, 'files'>, text: string): EngineFile => ({
  kind: 'file',
  name,
  text,
})

export const templateFile = <E extends EngineData>(
  _engine: E,
  template: Names<E, 'fileTemplates'>,
  object: string,
  text: string,
): EngineFile => ({ kind: 'file', name: `${template}.${object}`, text })

export const engineUnit = <E extends EngineData>(_engine: E, name: Names<E, 'units'>): EngineUnit => ({
  kind: 'unit',
  name,
})

export const templateUnit = <E extends EngineData>(
  _engine: E,
  template: Names<E, 'unitTemplates'>,
  instance: string,
): EngineUnit => ({ kind: 'unit', name: `${template}.${instance}` })
