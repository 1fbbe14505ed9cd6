// What every widget of a form knows: the draft, its faults, and how a value is changed.

import { createContext, useContext } from 'react'
import type { Item } from '../define.ts'
import { type Faults, noFaults } from '../draft.ts'
import type { Speaking } from '../values.ts'
import type { Names } from './use-names.ts'

export interface FormState {
  readonly value: Item
  readonly base: Item | null
  readonly faults: Faults
  readonly isDisabled: boolean
  readonly speaking: Speaking
  readonly names: Names
  readonly onChange: (path: string, value: unknown) => void
  /** The path of the field that takes the focus when the form opens. */
  readonly focused: string | null
  /** Fields that stay as they are, with the reason. */
  readonly fixed: { readonly why: string; readonly except: readonly string[] } | null
}

const nothing: Names = { nameOf: () => null, choicesFor: () => [], rowsOf: () => [], isLoading: false }

export const FormContext = createContext<FormState>({
  value: {},
  base: null,
  faults: noFaults,
  isDisabled: true,
  speaking: { zone: 'UTC', language: 'en', nameOf: () => null },
  names: nothing,
  onChange: () => {},
  focused: null,
  fixed: null,
})

export const useForm = (): FormState => useContext(FormContext)
